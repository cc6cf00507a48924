// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads a recorded stream of /dev/oprofile/buffer from its standard input.
 *
 *	opstream text	one line a record
 *	opstream count	how many there are of each type
 *	opstream replay	the histograms: "COOKIE COUNTER 0xOFFSET COUNT", sorted
 *	opstream check	nothing but whether it makes sense
 *
 * It knows the stream only by its header file, and insists on what that
 * promises: whole records, known sizes, names before cookies are used, times
 * that make sense.
 */
#define _GNU_SOURCE /* tdestroy() */
#include <inttypes.h>
#include <search.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../core/oprofile_stream.h"

#define MAX_COOKIE (1 << 20)

struct bin {
	uint64_t cookie;
	uint64_t offset;
	uint64_t count;
	uint32_t counter;
};

static const char *const names[] = {
	[OP_STREAM_PAD] = "pad",
	[OP_STREAM_CPU] = "cpu",
	[OP_STREAM_TASK] = "task",
	[OP_STREAM_COOKIE] = "cookie",
	[OP_STREAM_SAMPLE] = "sample",
	[OP_STREAM_TIME] = "time",
	[OP_STREAM_LOST] = "lost",
	[OP_STREAM_NAME] = "name",
	[OP_STREAM_FORK] = "fork",
	[OP_STREAM_EXEC] = "exec",
	[OP_STREAM_EXIT] = "exit",
	[OP_STREAM_MAP] = "map",
	[OP_STREAM_UNMAP] = "unmap",
	[OP_STREAM_MODULE] = "module",
	[OP_STREAM_MODULE_GONE] = "module_gone",
	[OP_STREAM_KSYM] = "ksym",
	[OP_STREAM_KSYM_GONE] = "ksym_gone",
	[OP_STREAM_RESET] = "reset",
	[OP_STREAM_HEADER] = "header",
	[OP_STREAM_COUNTER] = "counter",
};

static const char *const lost_names[] = {
	[OP_STREAM_LOST_RECORDS] = "records",
	[OP_STREAM_LOST_CPU_BUFFER] = "cpu_buffer",
	[OP_STREAM_LOST_MEMORY] = "memory",
	[OP_STREAM_LOST_NOTIFICATIONS] = "notifications",
	[OP_STREAM_LOST_MAPS] = "maps",
};

#define NR_TYPES (sizeof(names) / sizeof(names[0]))

static uint64_t counts[NR_TYPES];
static uint64_t unknown_types;
static uint64_t records;
static bool named[MAX_COOKIE];
static uint64_t cookie;
static bool text;
/* A tree of bins, of the search.h kind. */
static void *bins;

static void fail(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "opstream: record %" PRIu64 ": ", records);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\n");
	exit(1);
}

static int compare(const void *a, const void *b)
{
	const struct bin *x = a, *y = b;

	if (x->cookie != y->cookie)
		return x->cookie < y->cookie ? -1 : 1;
	if (x->counter != y->counter)
		return x->counter < y->counter ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return 0;
}

static void add_sample(uint32_t counter, uint64_t offset)
{
	struct bin *bin = calloc(1, sizeof(*bin));
	struct bin **found;

	*bin = (struct bin){ cookie, offset, 0, counter };
	found = tsearch(bin, &bins, compare);
	if (*found != bin)
		free(bin);
	(*found)->count++;
}

static void print_bin(const void *node, VISIT visit, int depth)
{
	const struct bin *bin = *(struct bin *const *)node;

	(void)depth;
	if (visit == postorder || visit == leaf)
		printf("%" PRIu64 " %u 0x%" PRIx64 " %" PRIu64 "\n",
		       bin->cookie, bin->counter, bin->offset, bin->count);
}

static void must_be_named(uint64_t number)
{
	if (number && (number >= MAX_COOKIE || !named[number]))
		fail("cookie %" PRIu64 " was not named", number);
}

/* A text of at most what the record has, with its NUL. */
static const char *string(const struct op_stream_head *head, const char *at)
{
	const char *end = (const char *)head + head->size;

	if (at >= end || !memchr(at, '\0', end - at))
		fail("a text without an end");
	return at;
}

static void need(const struct op_stream_head *head, size_t size)
{
	if (head->size < size)
		fail("type %u of only %u bytes", head->type, head->size);
}

static void print_task(const char *what, uint64_t task)
{
	printf(" %s %u/%u", what, (uint32_t)(task >> 32), (uint32_t)task);
}

static void of_value(const struct op_stream_value *r)
{
	switch (r->head.type) {
	case OP_STREAM_COOKIE:
		cookie = r->value;
		must_be_named(cookie);
		break;
	case OP_STREAM_SAMPLE:
		if (!cookie)
			fail("a sample without an image");
		add_sample(r->head.arg, r->value);
		break;
	case OP_STREAM_RESET:
		tdestroy(bins, free);
		bins = NULL;
		cookie = 0;
		break;
	case OP_STREAM_LOST:
		if (r->head.arg == OP_STREAM_LOST_RECORDS)
			cookie = 0;
		break;
	}
	if (!text)
		return;
	if (r->head.type == OP_STREAM_TASK)
		print_task("", r->value);
	else if (r->head.type == OP_STREAM_SAMPLE)
		printf(" %u 0x%" PRIx64, r->head.arg, (uint64_t)r->value);
	else if (r->head.type == OP_STREAM_LOST)
		printf(" %s %" PRIu64,
		       r->head.arg < sizeof(lost_names) / sizeof(*lost_names) ?
			       lost_names[r->head.arg] :
			       "?",
		       (uint64_t)r->value);
	else
		printf(" %" PRIu64, (uint64_t)r->value);
}

static void of_name(const struct op_stream_name *r)
{
	if (strlen(string(&r->head, r->path)) != r->len)
		fail("a path of another length than is said");
	if (r->cookie >= MAX_COOKIE)
		fail("cookie %" PRIu64 " is too large for this program",
		     (uint64_t)r->cookie);
	named[r->cookie] = true;
	if (text)
		printf(" %" PRIu64 " kind %u start 0x%" PRIx64 " %s",
		       (uint64_t)r->cookie, r->kind, (uint64_t)r->start,
		       r->path);
}

static void of_task(const struct op_stream_fork *r)
{
	if (!r->time)
		fail("a notification without a time");
	if (r->head.type == OP_STREAM_EXEC)
		must_be_named(r->parent);
	if (!text)
		return;
	print_task("task", r->task);
	if (r->head.type == OP_STREAM_FORK)
		print_task("parent", r->parent);
	else if (r->head.type == OP_STREAM_EXEC)
		printf(" cookie %" PRIu64, (uint64_t)r->parent);
	else
		printf(" code 0x%" PRIx64, (uint64_t)r->parent);
}

static void of_map(const struct op_stream_map *r)
{
	must_be_named(r->cookie);
	if (!text)
		return;
	print_task("task", r->task);
	printf(" cookie %" PRIu64 " 0x%" PRIx64 " +0x%" PRIx64
	       " offset 0x%" PRIx64,
	       (uint64_t)r->cookie, (uint64_t)r->start, (uint64_t)r->len,
	       (uint64_t)r->offset);
}

static void of_module(const struct op_stream_module *r)
{
	const char *module = string(&r->head, r->text);
	const char *section = string(&r->head, module + strlen(module) + 1);

	if (text)
		printf(" %s %s 0x%" PRIx64 " +0x%" PRIx64, module, section,
		       (uint64_t)r->start, (uint64_t)r->len);
}

static void of_ksym(const struct op_stream_ksym *r)
{
	if (text)
		printf(" %s 0x%" PRIx64 " +0x%" PRIx64,
		       string(&r->head, r->name), (uint64_t)r->start,
		       (uint64_t)r->len);
}

static void of_header(const struct op_stream_header *r)
{
	const char *version = string(&r->head, r->text);
	const char *cpu_type = string(&r->head, version + strlen(version) + 1);

	if (records || r->magic != OP_STREAM_MAGIC)
		fail("no header, or not in its place");
	if (r->head.arg != OP_STREAM_VERSION)
		fail("version %u, not %u", r->head.arg, OP_STREAM_VERSION);
	if (text)
		printf(" %s %s cpus %u boottime %" PRIu64 " realtime %" PRIu64,
		       version, cpu_type, r->cpus, (uint64_t)r->boottime,
		       (uint64_t)r->realtime);
}

static void of_counter(const struct op_stream_counter *r)
{
	if (text)
		printf(" %u %s count %" PRIu64 " freq %u modes %u", r->head.arg,
		       string(&r->head, r->event), (uint64_t)r->count, r->freq,
		       r->modes);
}

static void of_record(const struct op_stream_head *head)
{
	const void *r = head;

	if (!records && head->type != OP_STREAM_HEADER)
		fail("the stream does not begin with its header");
	if (head->type >= NR_TYPES) {
		unknown_types++;
		return;
	}
	counts[head->type]++;
	if (text)
		printf("%s%s%s%s", names[head->type],
		       head->type >= OP_STREAM_NAME &&
				       head->type < OP_STREAM_HEADER &&
				       head->arg & OP_STREAM_F_STATE ?
			       " state" :
			       "",
		       head->type == OP_STREAM_FORK &&
				       head->arg & OP_STREAM_F_THREAD ?
			       " thread" :
			       "",
		       head->type == OP_STREAM_EXIT &&
				       head->arg & OP_STREAM_F_LAST ?
			       " last" :
			       "");
	switch (head->type) {
	case OP_STREAM_PAD:
		fail("a pad");
		break;
	case OP_STREAM_NAME:
		need(head, sizeof(struct op_stream_name) + 1);
		of_name(r);
		break;
	case OP_STREAM_FORK:
	case OP_STREAM_EXEC:
	case OP_STREAM_EXIT:
		need(head, sizeof(struct op_stream_fork));
		of_task(r);
		break;
	case OP_STREAM_MAP:
	case OP_STREAM_UNMAP:
		need(head, sizeof(struct op_stream_map));
		of_map(r);
		break;
	case OP_STREAM_MODULE:
	case OP_STREAM_MODULE_GONE:
		need(head, sizeof(struct op_stream_module) + 2);
		of_module(r);
		break;
	case OP_STREAM_KSYM:
	case OP_STREAM_KSYM_GONE:
		need(head, sizeof(struct op_stream_ksym) + 1);
		of_ksym(r);
		break;
	case OP_STREAM_HEADER:
		need(head, sizeof(struct op_stream_header) + 2);
		of_header(r);
		break;
	case OP_STREAM_COUNTER:
		need(head, sizeof(struct op_stream_counter) + 1);
		of_counter(r);
		break;
	default:
		need(head, sizeof(struct op_stream_value));
		of_value(r);
		break;
	}
	if (text)
		printf("\n");
	records++;
}

static void read_all(void)
{
	static union {
		struct op_stream_head head;
		char bytes[OP_STREAM_RECORD_MAX];
	} buffer;
	size_t n;

	for (;;) {
		n = fread(&buffer, 1, sizeof(buffer.head), stdin);
		if (!n)
			break;
		if (n < sizeof(buffer.head))
			fail("it ends in the middle of a head");
		if (buffer.head.size % 16 || !buffer.head.size ||
		    buffer.head.size > sizeof(buffer))
			fail("a size of %u", buffer.head.size);
		n = buffer.head.size - sizeof(buffer.head);
		if (fread(buffer.bytes + sizeof(buffer.head), 1, n, stdin) != n)
			fail("it ends in the middle of a record");
		of_record(&buffer.head);
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc == 2 ? argv[1] : "";
	size_t type;

	text = !strcmp(mode, "text");
	if (!text && strcmp(mode, "count") && strcmp(mode, "replay") &&
	    strcmp(mode, "check")) {
		fprintf(stderr, "Usage: opstream text|count|replay|check\n");
		return 2;
	}
	read_all();
	if (!records)
		fail("there is nothing");
	if (!strcmp(mode, "replay"))
		twalk(bins, print_bin);
	if (!strcmp(mode, "count")) {
		for (type = 0; type < NR_TYPES; type++)
			printf("%s %" PRIu64 "\n", names[type], counts[type]);
		printf("others %" PRIu64 "\n", unknown_types);
	}
	return 0;
}
