// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes machine code into memory of many kinds and runs it.
 *
 * usage: jitter [--at ADDRESS] REGION...
 *
 * REGION is one of these; PAGES is a number of pages:
 *
 *	anon:PAGES		anonymous, writable first, then executable
 *	rwx:PAGES		anonymous, both all the time
 *	shared:PAGES		anonymous, MAP_SHARED
 *	huge:PAGES		anonymous, MAP_HUGETLB (PAGES: of usual size)
 *	thp:PAGES		anonymous, for which the kernel is asked for
 *				transparent huge pages
 *	ro=PATH@OFFSET:PAGES	the same of one that is there and is code already
 *	moved=PATH@OFFSET:PAGES	as file=, but then copied to such memory, which
 *				is moved to where the file was mapped
 *	memfd=NAME:PAGES	a memfd
 *	sysv:PAGES		System V shared memory
 *	file=PATH@OFFSET:PAGES	a file from OFFSET on, made if it isn't there
 *
 * They are mapped one right behind the other, from ADDRESS on if given. Then
 * for each a line "region INDEX 0xSTART 0xEND" is printed, and "pid PID", and
 * commands are read from stdin, each answered by a line "ok" (or the program
 * ends):
 *
 *	run MS INDEX...		run the code of these regions for MS ms of time
 *	protect INDEX PAGE rx|rwx	mprotect one page, which splits a mapping
 *
 * Each page is full of code that begins at its first byte and calls another
 * piece at its very end, so samples come from a mapping's first and last byte.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAX_REGIONS 16
#define PAGE 4096ul
/* Iterations of a page's code before the next one's. */
#define SLICE 1000

typedef void (*code_fn)(uint64_t n);

struct region {
	unsigned char *start;
	size_t pages;
};

static struct region regions[MAX_REGIONS];
static unsigned int nr_regions;

/*
 * One page of code: calls its end, counts down, begins again.  The last byte of
 * the page (arm64: the last instruction) returns.
 */
static void write_code(unsigned char *page)
{
#if defined(__x86_64__)
	static const unsigned char head[] = {
		0xe8, 0xfa, 0x0f, 0x00, 0x00, /* 0: call 0xfff */
		0x48, 0xff, 0xcf,	      /* 5: dec %rdi */
		0x75, 0xf6,		      /* 8: jnz 0 */
		0xc3,			      /* a: ret */
	};

	memset(page, 0xcc, PAGE);
	memcpy(page, head, sizeof(head));
	page[PAGE - 1] = 0xc3;
#elif defined(__aarch64__)
	static const uint32_t head[] = {
		0xaa1e03e9, /* 0: mov x9, x30 */
		0x940003fe, /* 4: bl 0xffc */
		0xf1000400, /* 8: subs x0, x0, #1 */
		0x54ffffc1, /* c: b.ne 4 */
		0xaa0903fe, /* 10: mov x30, x9 */
		0xd65f03c0, /* 14: ret */
	};
	static const uint32_t last = 0xd65f03c0;

	memset(page, 0, PAGE);
	memcpy(page, head, sizeof(head));
	memcpy(page + PAGE - sizeof(last), &last, sizeof(last));
#else
#error "which instructions?"
#endif
}

static void write_pages(unsigned char *start, size_t pages)
{
	size_t i;

	for (i = 0; i < pages; i++)
		write_code(start + i * PAGE);
	__builtin___clear_cache((char *)start, (char *)start + pages * PAGE);
}

static void map_fd(struct region *r, int fd, off_t offset, int flags)
{
	unsigned char page[PAGE];
	size_t i;

	write_code(page);
	for (i = 0; i < r->pages; i++) {
		if (pwrite(fd, page, PAGE, offset + i * PAGE) != (ssize_t)PAGE)
			err(1, "pwrite");
	}
	if (mmap(r->start, r->pages * PAGE, PROT_READ | PROT_EXEC,
		 flags | MAP_FIXED, fd, offset) != r->start)
		err(1, "mmap of a file");
	__builtin___clear_cache((char *)r->start,
				(char *)r->start + r->pages * PAGE);
	close(fd);
}

static void map_memory(struct region *r, int prot, int flags)
{
	size_t bytes = r->pages * PAGE;

	if (mmap(r->start, bytes, PROT_READ | PROT_WRITE | prot,
		 flags | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != r->start)
		err(1, "mmap");
	write_pages(r->start, r->pages);
	if (!prot && mprotect(r->start, bytes, PROT_READ | PROT_EXEC))
		err(1, "mprotect");
}

static void map_thp(void *start, size_t bytes)
{
	if (mmap(start, bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != start)
		err(1, "mmap");
	if (madvise(start, bytes, MADV_HUGEPAGE))
		err(1, "MADV_HUGEPAGE");
}

/* What programs do that bring their own text into huge pages. */
static void move_text(struct region *r)
{
	size_t bytes = r->pages * PAGE;
	const size_t huge = 2ul << 20;
	char *place, *copy;

	place = mmap(NULL, bytes + huge, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	if (place == MAP_FAILED)
		err(1, "mmap");
	copy = (char *)(((uintptr_t)place + huge - 1) & -huge);
	map_thp(copy, bytes);
	memcpy(copy, r->start, bytes);
	if (mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
		   r->start) != r->start)
		err(1, "mremap");
	__builtin___clear_cache((char *)r->start, (char *)r->start + bytes);
}

static void map_sysv(struct region *r)
{
	int id = shmget(IPC_PRIVATE, r->pages * PAGE, IPC_CREAT | 0700);

	if (id < 0)
		err(1, "shmget");
	if (shmat(id, r->start, SHM_EXEC | SHM_REMAP) != r->start)
		err(1, "shmat");
	shmctl(id, IPC_RMID, NULL);
	write_pages(r->start, r->pages);
}

/* PATH@OFFSET: opens PATH. */
static int open_region(char *path, int flags, off_t *offset)
{
	char *at = strrchr(path, '@');
	int fd;

	if (!at)
		errx(2, "no offset: %s", path);
	*at++ = '\0';
	*offset = strtoull(at, NULL, 0);
	fd = open(path, flags, 0755);
	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

static void map_file(struct region *r, char *path)
{
	off_t offset;
	int fd = open_region(path, O_RDWR | O_CREAT, &offset);

	map_fd(r, fd, offset, MAP_PRIVATE);
}

static void map_read_only(struct region *r, char *path)
{
	off_t offset;
	int fd = open_region(path, O_RDONLY, &offset);

	if (mmap(r->start, r->pages * PAGE, PROT_READ | PROT_EXEC,
		 MAP_PRIVATE | MAP_FIXED, fd, offset) != r->start)
		err(1, "mmap of a file");
	close(fd);
}

static void map_region(struct region *r, char *kind)
{
	int fd;

	if (!strcmp(kind, "anon")) {
		map_memory(r, 0, MAP_PRIVATE);
	} else if (!strcmp(kind, "rwx")) {
		map_memory(r, PROT_EXEC, MAP_PRIVATE);
	} else if (!strcmp(kind, "shared")) {
		map_memory(r, 0, MAP_SHARED);
	} else if (!strcmp(kind, "huge")) {
		map_memory(r, PROT_EXEC, MAP_PRIVATE | MAP_HUGETLB);
	} else if (!strcmp(kind, "thp")) {
		map_thp(r->start, r->pages * PAGE);
		write_pages(r->start, r->pages);
	} else if (!strncmp(kind, "moved=", 6)) {
		map_file(r, kind + 6);
		move_text(r);
	} else if (!strcmp(kind, "sysv")) {
		map_sysv(r);
	} else if (!strncmp(kind, "memfd=", 6)) {
		fd = memfd_create(kind + 6, MFD_CLOEXEC);
		if (fd < 0)
			err(1, "memfd_create");
		map_fd(r, fd, 0, MAP_SHARED);
	} else if (!strncmp(kind, "file=", 5)) {
		map_file(r, kind + 5);
	} else if (!strncmp(kind, "ro=", 3)) {
		map_read_only(r, kind + 3);
	} else {
		errx(2, "no such kind of region: %s", kind);
	}
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ull + ts.tv_nsec / 1000000;
}

static struct region *find_region(const char *index)
{
	unsigned long i = strtoul(index, NULL, 0);

	if (i >= nr_regions)
		errx(2, "no region %s", index);
	return &regions[i];
}

static void run_pages(const struct region *r)
{
	size_t i;

	for (i = 0; i < r->pages; i++)
		((code_fn)(uintptr_t)(r->start + i * PAGE))(SLICE);
}

static void cmd_run(const char *ms)
{
	uint64_t end = now_ms() + strtoull(ms, NULL, 0);
	struct region *chosen[MAX_REGIONS];
	unsigned int n = 0, i;
	char *word;

	while (n < MAX_REGIONS && (word = strtok(NULL, " \n")))
		chosen[n++] = find_region(word);
	do {
		for (i = 0; i < n; i++)
			run_pages(chosen[i]);
	} while (now_ms() < end);
}

static void cmd_protect(const char *index)
{
	struct region *r = find_region(index);
	const char *page = strtok(NULL, " \n");
	const char *how = strtok(NULL, " \n");
	int prot = PROT_READ | PROT_EXEC;

	if (!page || !how || strtoul(page, NULL, 0) >= r->pages)
		errx(2, "protect INDEX PAGE rx|rwx");
	if (!strcmp(how, "rwx"))
		prot |= PROT_WRITE;
	if (mprotect(r->start + strtoul(page, NULL, 0) * PAGE, PAGE, prot))
		err(1, "mprotect");
}

int main(int argc, char **argv)
{
	unsigned char *next;
	char line[256];
	size_t total = 0;
	char *word, *pages;
	void *at = NULL;
	int i = 1;

	if (argc > 2 && !strcmp(argv[1], "--at")) {
		at = (void *)(uintptr_t)strtoull(argv[2], NULL, 0);
		i = 3;
	}
	for (; i < argc; i++) {
		pages = strrchr(argv[i], ':');
		if (!pages || nr_regions == MAX_REGIONS)
			errx(2, "not a region, or one too many: %s", argv[i]);
		*pages++ = '\0';
		regions[nr_regions].pages = strtoul(pages, NULL, 0);
		total += regions[nr_regions].pages * PAGE;
		/* For now its kind. */
		regions[nr_regions++].start = (unsigned char *)argv[i];
	}
	if (!total)
		errx(2, "no regions");

	/* A place for all; no other mapping comes near. */
	next = mmap(at, total, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS |
			    (at ? MAP_FIXED_NOREPLACE : 0),
		    -1, 0);
	if (next == MAP_FAILED || (at && next != at))
		err(1, "mmap of %zu bytes", total);
	for (i = 0; i < (int)nr_regions; i++) {
		word = (char *)regions[i].start;
		regions[i].start = next;
		next += regions[i].pages * PAGE;
		map_region(&regions[i], word);
		printf("region %d %p %p\n", i, (void *)regions[i].start,
		       (void *)next);
	}
	printf("pid %d\n", getpid());
	fflush(stdout);

	while (fgets(line, sizeof(line), stdin)) {
		word = strtok(line, " \n");
		if (!word)
			continue;
		pages = strtok(NULL, " \n");
		if (!pages)
			errx(2, "what about %s?", word);
		if (!strcmp(word, "run"))
			cmd_run(pages);
		else if (!strcmp(word, "protect"))
			cmd_protect(pages);
		else
			errx(2, "no such command: %s", word);
		puts("ok");
		fflush(stdout);
	}
	return 0;
}
