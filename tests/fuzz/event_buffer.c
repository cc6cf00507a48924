// SPDX-License-Identifier: GPL-2.0-only
/*
 * core/event_buffer.c: records of all sizes go in, three readers of any speed
 * and the histograms take them out.
 *
 * The histograms get each record once and in order.  A reader gets each from
 * its first on, or is told how many it did not get; and at each sample it knows
 * CPU, task and image, by what it was told and nothing else.
 *
 * Input: what is done, a byte each and its arguments.
 */
#include "kernel.h"

#include "core/internal.h"

#define ktime_get_boottime_ns() 1234567

#include "core/event_buffer.c"

#include "fuzz.h"

struct task_struct op_fuzz_task;

#define NR_READERS 3
#define MAX_RECORDS (1 << 16)

/* Every record, as the histograms got it: what it was, and its content's sum. */
static struct logged {
	u16 type;
	u16 size;
	u32 arg;
	u64 sum;
	struct op_stream_state meant; /* of a sample */
} records[MAX_RECORDS];
static size_t nr_records;

/* The samples that went in and have not come out. */
static struct op_stream_state meant[MAX_RECORDS];
static size_t nr_meant, nr_seen;

/* What those who have followed from the beginning know. */
static struct op_stream_state known;

static struct reader {
	bool open;
	struct op_stream_point point;
	struct op_stream_state state;
} readers[NR_READERS];

static struct op_image images[4] = {
	{ .cookie = 11, .path = "/a" },
	{ .cookie = 12, .path = "vmlinux" },
	{ .cookie = 13, .path = "jit:x" },
	{ .cookie = 14 },
};

static u64 watershed;

u64 op_param_get(enum op_param param)
{
	return param == OP_PARAM_BUFFER_SIZE ? 4096 : watershed;
}

bool op_images_forget_unused(bool named)
{
	return false;
}

/* Of no interest to who looks for new ways through the code. */
__attribute__((no_sanitize("coverage"))) static u64
sum_of(const struct op_stream_value *record)
{
	const u32 *words = (const u32 *)record;
	u64 sum = 0;
	size_t i;

	for (i = 0; i < record->head.size / sizeof(*words); i++)
		sum = sum * 1000003 + words[i];
	return sum;
}

static bool same(const struct op_stream_state *a,
		 const struct op_stream_state *b)
{
	return a->cpu == b->cpu && a->task == b->task && a->cookie == b->cookie;
}

static void log_record(const struct op_stream_value *record)
{
	struct logged *log = &records[nr_records++];

	MUST(nr_records < MAX_RECORDS);
	*log = (struct logged){ record->head.type, record->head.size,
				record->head.arg, sum_of(record),
				OP_STREAM_STATE_NONE };
	op_stream_state_follow(&known, record);
	if (record->head.type == OP_STREAM_SAMPLE) {
		MUST(nr_seen < nr_meant);
		log->meant = meant[nr_seen++];
		MUST(same(&log->meant, &known));
	}
}

void op_histogram_consume(const struct op_stream_value *from, size_t slots)
{
	const struct op_stream_value *end = from + slots;

	for (; from < end; from += from->head.size / OP_SLOT) {
		MUST(from->head.size && from->head.size % OP_SLOT == 0);
		if (from->head.type != OP_STREAM_PAD)
			log_record(from);
	}
	MUST(from == end);
}

static void append(struct fuzz_input *in)
{
	size_t size = fuzz_number(in, 2) % (OP_STREAM_RECORD_MAX + 1);
	static const char zeros[OP_STREAM_RECORD_MAX];
	struct op_stream_value *record;

	size = max(size, sizeof(struct op_stream_value));
	record = op_event_append(OP_STREAM_MODULE, size, size);
	if (!record) {
		MUST(!op_events.slots);
		return;
	}
	MUST(record->head.size >= size && record->head.size - size < 16);
	MUST(!memcmp((char *)record + sizeof(record->head), zeros,
		     record->head.size - sizeof(record->head)));
	/* All of it is ours. */
	memset((char *)record + sizeof(record->head), fuzz_byte(in) | 1,
	       size - sizeof(record->head));
}

static void sample(struct fuzz_input *in)
{
	unsigned int how = fuzz_byte(in);
	struct op_stream_state state = {
		.cpu = how & 3,
		.task = how >> 2 & 3,
		.cookie = 11 + (how >> 4 & 3),
	};

	MUST(nr_meant < MAX_RECORDS);
	meant[nr_meant++] = state;
	op_event_sample(state.cpu, state.task, &images[state.cookie - 11],
			how >> 6, fuzz_byte(in));
}

static void take(struct reader *reader, const char *bytes, size_t size)
{
	const struct op_stream_value *record;
	size_t at;

	for (at = 0; at < size; at += record->head.size) {
		const struct logged *log;
		u64 number = reader->point.sequence++;

		record = (const void *)(bytes + at);
		MUST(size - at >= sizeof(*record));
		MUST(record->head.size <= size - at);
		MUST(number < nr_records);
		log = &records[number];
		MUST(record->head.type == log->type);
		MUST(record->head.size == log->size);
		MUST(record->head.arg == log->arg);
		MUST(sum_of(record) == log->sum);
		op_stream_state_follow(&reader->state, record);
		if (record->head.type == OP_STREAM_SAMPLE)
			MUST(same(&reader->state, &log->meant));
	}
}

static void read_some(struct reader *reader, size_t room)
{
	struct op_stream_point before = reader->point;
	char *bytes = malloc(room);
	size_t size;
	u64 lost;

	op_event_flush();
	MUST(nr_records == op_events.head.sequence);
	if (op_event_overtaken(&reader->point, &lost)) {
		/* None, if it was room at the ring's end that was taken. */
		MUST(reader->point.sequence == before.sequence + lost);
		reader->state = reader->point.state;
	} else {
		MUST(reader->point.position == before.position);
	}
	MUST(op_event_pending(&reader->point) ==
	     (reader->point.position != op_events.head.position));
	before = reader->point;
	size = op_event_copy(&reader->point, bytes, room);
	MUST(size <= room);
	/* Numbered by ourselves, and then compared. */
	before.sequence = reader->point.sequence - before.sequence;
	reader->point.sequence -= before.sequence;
	lost = reader->point.sequence;
	take(reader, bytes, size);
	MUST(reader->point.sequence == lost + before.sequence);
	if (op_event_pending(&reader->point))
		MUST(size);
	free(bytes);
}

static void begin(struct reader *reader)
{
	if (reader->open)
		return;
	MUST(!op_event_reader_begin(&reader->point));
	reader->open = true;
	reader->state = OP_STREAM_STATE_NONE;
	MUST(same(&reader->point.state, &reader->state));
}

static void end(struct reader *reader)
{
	if (!reader->open)
		return;
	/* To the last record. */
	do {
		read_some(reader, OP_STREAM_RECORD_MAX);
	} while (op_event_pending(&reader->point));
	op_event_reader_end();
	reader->open = false;
}

static void resize(struct fuzz_input *in)
{
	watershed = fuzz_number(in, 2) % 4096 + 1;
	MUST(!op_event_buffer_resize(4096 << fuzz_byte(in) % 3));
}

static void act(struct fuzz_input *in)
{
	unsigned int what = fuzz_byte(in);
	struct reader *reader = &readers[(what >> 4) % NR_READERS];
	unsigned int n;

	if (!op_events.slots && what % 8 != 3)
		resize(in);
	switch (what % 8) {
	case 0:
		append(in);
		break;
	case 1:
		op_event_add(OP_STREAM_TIME, what, fuzz_byte(in));
		break;
	case 2:
		for (n = what >> 3; n + 1; n--)
			sample(in);
		break;
	case 3:
		begin(reader);
		break;
	case 4:
		if (what & 8)
			end(reader);
		break;
	case 5:
		if (reader->open)
			read_some(reader,
				  OP_STREAM_RECORD_MAX + fuzz_number(in, 2));
		break;
	case 6:
		if (what & 8)
			op_event_forget();
		else
			op_event_of_cpu(what >> 4 & 3);
		break;
	default:
		if (what >> 4)
			op_event_flush();
		else
			resize(in);
		break;
	}
	MUST(op_events.head.position - op_events.consumed <= op_events.size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char deep[1000];
	struct fuzz_input in = { data, size };
	size_t i;

	memset(deep, 'd', sizeof(deep) - 1);
	images[3].path = deep;
	for (i = 0; i < ARRAY_SIZE(images); i++)
		images[i].named_at = 0;
	memset(&op_events, 0, sizeof(op_events));
	nr_records = nr_meant = nr_seen = 0;
	known = OP_STREAM_STATE_NONE;
	watershed = 4096;
	for (i = 0; in.left && i < 2000; i++)
		act(&in);
	for (i = 0; i < NR_READERS; i++)
		end(&readers[i]);
	if (op_events.slots)
		op_event_flush();
	MUST(nr_records == op_events.head.sequence && nr_seen == nr_meant);
	MUST(!op_events.readers);
	op_event_buffer_free();
	return 0;
}
