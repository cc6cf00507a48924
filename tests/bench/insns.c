// SPDX-License-Identifier: GPL-2.0-only
/*
 * A plugin for QEMU that counts the guest's instructions by address, between
 * the marks that tests/bench/loop.c sets: tests/bench/run --breakdown turns
 * its file into instructions a sample by kernel function.
 *
 * What it writes to the file given as out=FILE, for each loop that ran:
 *
 *	window NUMBER
 *	0xADDRESS INSTRUCTIONS
 *	…
 *
 * An address is that of a translated block.  Addresses of user space are
 * summed up as one, 0x0.
 *
 * Debian's QEMU can load plugins but ships no header for them, so what is
 * needed of version 1 of their interface is declared here.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_info;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

enum { QEMU_PLUGIN_CB_NO_REGS };
enum { QEMU_PLUGIN_INLINE_ADD_U64 };

void qemu_plugin_register_vcpu_tb_trans_cb(
	qemu_plugin_id_t id,
	void (*cb)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id,
				    void (*cb)(qemu_plugin_id_t id, void *data),
				    void *data);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, int op,
					      void *counter, uint64_t imm);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    void (*cb)(unsigned int vcpu,
						       void *data),
					    int flags, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *
qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t n);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = 1;

/* nopl 0x4f504231(%rax,%rax), as in loop.c */
static const unsigned char mark_code[] = {
	0x0f, 0x1f, 0x84, 0x00, 0x31, 0x42, 0x50, 0x4f,
};

#define BUCKETS 65536

struct block {
	struct block *next; /* in its bucket */
	uint64_t address;
	uint64_t count; /* instructions executed, ever */
	uint64_t seen;	/* the same when the window began */
};

static struct block *buckets[BUCKETS];
static FILE *out;
static bool open_window;
static unsigned int windows;

static struct block *block_of(uint64_t address)
{
	struct block **bucket, *b;

	if (address < 1ull << 63)
		address = 0;
	bucket = &buckets[(address >> 1 ^ address >> 17) % BUCKETS];
	for (b = *bucket; b; b = b->next)
		if (b->address == address)
			return b;
	b = calloc(1, sizeof(*b));
	if (!b)
		abort();
	b->address = address;
	b->next = *bucket;
	*bucket = b;
	return b;
}

static void on_mark(unsigned int vcpu, void *data)
{
	struct block *b;
	int i;

	(void)vcpu;
	(void)data;
	if (open_window)
		fprintf(out, "window %u\n", windows++);
	for (i = 0; i < BUCKETS; i++) {
		for (b = buckets[i]; b; b = b->next) {
			if (open_window && b->count != b->seen)
				fprintf(out, "0x%" PRIx64 " %" PRIu64 "\n",
					b->address, b->count - b->seen);
			b->seen = b->count;
		}
	}
	open_window = !open_window;
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i, n = qemu_plugin_tb_n_insns(tb);
	struct qemu_plugin_insn *insn;

	(void)id;
	qemu_plugin_register_vcpu_tb_exec_inline(
		tb, QEMU_PLUGIN_INLINE_ADD_U64,
		&block_of(qemu_plugin_tb_vaddr(tb))->count, n);
	for (i = 0; i < n; i++) {
		insn = qemu_plugin_tb_get_insn(tb, i);
		if (qemu_plugin_insn_size(insn) == sizeof(mark_code) &&
		    !memcmp(qemu_plugin_insn_data(insn), mark_code,
			    sizeof(mark_code)))
			qemu_plugin_register_vcpu_insn_exec_cb(
				insn, on_mark, QEMU_PLUGIN_CB_NO_REGS, NULL);
	}
}

static void on_exit_of_qemu(qemu_plugin_id_t id, void *data)
{
	(void)id;
	(void)data;
	fclose(out);
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id,
			       const struct qemu_info *info, int argc,
			       char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "out=", 4)) {
		fprintf(stderr, "insns: wants out=FILE\n");
		return -1;
	}
	out = fopen(argv[0] + 4, "w");
	if (!out) {
		perror(argv[0] + 4);
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_atexit_cb(id, on_exit_of_qemu, NULL);
	return 0;
}
