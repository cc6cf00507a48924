/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names for offsets in images: the one interface between the symboliser and the
 * views.
 *
 * A thread of its own loads symbols, so that nothing here but
 * op_symbols_wait() ever waits for a file.
 */
#ifndef OPTOP_SYMBOLS_H
#define OPTOP_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct op_symbols;

/**
 * struct op_symbols_config - where names come from; strings stay the caller's
 * @root: folder below which the images' paths are looked up; NULL or "": /
 * @kernel: vmlinux, a kallsyms text, or a folder with the kernel and its
 *	modules; NULL: /proc/kallsyms and /lib/modules
 * @tmp: where perf-PID.map and jit-PID.dump are; NULL: ROOT/tmp
 * @debuginfod: may ask debuginfod's servers, which can take long
 * @raw: names as they are in the file, not demangled
 * @recorded: the images may be of another boot or machine, so that what this
 *	one has in memory (its vdso, its kernel) tells nothing
 */
struct op_symbols_config {
	const char *root;
	const char *kernel;
	const char *tmp;
	bool debuginfod;
	bool raw;
	bool recorded;
};

/* What is known of an image's names. */
enum op_symbols_state {
	OP_SYMBOLS_WAITING, /* not loaded yet */
	OP_SYMBOLS_LOADED,  /* there are names */
	OP_SYMBOLS_NONE,    /* the file is there and has none */
	OP_SYMBOLS_MISSING, /* the file is not there, or not readable */
	OP_SYMBOLS_CHANGED, /* the file is not the one that was sampled */
	OP_SYMBOLS_BROKEN,  /* the file is no ELF file that makes sense */
};

/**
 * struct op_image_key - an image, as its files in oprofilefs describe it
 * @name: its folder's name
 * @path: its path, unescaped
 * @dcookie: its dcookie, which is what tells images apart
 * @start: address of offset 0 as seen there; 0 if not known
 * @identity: text of the file "identity", NULL if there is none
 */
struct op_image_key {
	const char *name;
	const char *path;
	uint64_t dcookie;
	uint64_t start;
	const char *identity;
};

/**
 * struct op_symbol - one name
 * @name: demangled; lives as long as the struct op_symbols
 * @start: offset in the image at which it begins
 * @size: bytes; 0: not known
 * @type: letter as of nm(1): T, t, W, …
 */
struct op_symbol {
	const char *name;
	uint64_t start;
	uint64_t size;
	char type;
};

/**
 * struct op_symbols_totals - what was done so far, for -v
 */
struct op_symbols_totals {
	unsigned int images;	 /* asked for */
	unsigned int unreadable; /* MISSING */
	unsigned int broken;
	unsigned int changed;
	unsigned int none;
	uint64_t symbols; /* loaded, of all images */
	double seconds;	  /* spent by the thread */
};

struct op_symbols *op_symbols_new(const struct op_symbols_config *config);
void op_symbols_free(struct op_symbols *symbols);

/*
 * Readable (poll(2)) when an image's state has changed, or there are new names;
 * an eventfd(2) that does not block: reading its 8 bytes clears it.
 */
int op_symbols_fd(struct op_symbols *symbols);

/* Ask for an image (the thread loads it if it has not yet); its state now. */
enum op_symbols_state op_symbols_state(struct op_symbols *symbols,
				       const struct op_image_key *image);

/* Until all that was asked for is loaded. */
void op_symbols_wait(struct op_symbols *symbols);

/*
 * The symbol at an offset. False: none is known there (yet), which includes a
 * gap between two symbols.
 */
bool op_symbols_find(struct op_symbols *symbols,
		     const struct op_image_key *image, uint64_t offset,
		     struct op_symbol *symbol);

/*
 * "FILE:LINE" and the disassembled instruction at an offset; may read files, so
 * for the view of one symbol only. False, and text empty, where not known.
 */
bool op_symbols_line(struct op_symbols *symbols,
		     const struct op_image_key *image, uint64_t offset,
		     char *text, size_t size);
bool op_symbols_instruction(struct op_symbols *symbols,
			    const struct op_image_key *image, uint64_t offset,
			    char *text, size_t size);

void op_symbols_totals(struct op_symbols *symbols,
		       struct op_symbols_totals *totals);

const char *op_symbols_state_text(enum op_symbols_state state);

#endif
