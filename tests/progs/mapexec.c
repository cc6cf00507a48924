// SPDX-License-Identifier: GPL-2.0-only
/*
 * mapexec FILE N        maps FILE executable and takes that away, N times in each
 *                       of three ways: munmap, another mapping in its place, and
 *                       a munmap of twice as much
 * mapexec --protect N   makes anonymous memory executable N times; prints
 *                       "PID 0xADDRESS"
 * mapexec --thread N    starts N threads that end at once
 * mapexec --spin N      N threads and its main thread run for ever
 * mapexec --headless N  ends its main thread; another one stays for N s
 * mapexec --files FOLDER N
 *                       executes N files of a page each, one after the other:
 *                       each is made in FOLDER, mapped, called and removed. Only
 *                       its first instruction runs, on a page that is not there
 *                       yet: where each page fault is a sample, it has one
 * mapexec --bpf N       loads a BPF program N times, and lets it go
 * mapexec --bpf-run N [LOAD RUN]
 *                       runs a long BPF program N times. With CPUs, loads it on
 *                       the first, says so, waits for a line, and runs it and
 *                       lets it go on the other
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096

static void check(int bad, const char *what)
{
	if (!bad)
		return;
	perror(what);
	exit(1);
}

static void map_file(const char *path, long n)
{
	int fd = open(path, O_RDONLY);
	char *place, *at;

	check(fd < 0, path);
	place = mmap(NULL, 4 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	check(place == MAP_FAILED, "mmap");
	place += PAGE;
	while (n--) {
		at = mmap(place, PAGE, PROT_READ | PROT_EXEC,
			  MAP_PRIVATE | MAP_FIXED, fd, 0);
		check(at != place, "mmap");
		check(munmap(at, PAGE), "munmap");
		at = mmap(place, PAGE, PROT_READ | PROT_EXEC,
			  MAP_PRIVATE | MAP_FIXED, fd, 0);
		check(at != place, "mmap");
		at = mmap(place, PAGE, PROT_NONE,
			  MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0);
		check(at != place, "mmap");
		at = mmap(place, PAGE, PROT_READ | PROT_EXEC,
			  MAP_PRIVATE | MAP_FIXED, fd, 0);
		check(at != place, "mmap");
		/* Emptied, or in other hands, it is still there. */
		check(madvise(at, PAGE, MADV_DONTNEED), "madvise");
		check(mlock(at, PAGE), "mlock");
		check(munlock(at, PAGE), "munlock");
		check(munmap(at, 2 * PAGE), "munmap");
	}
	printf("done\n");
}

static void protect(long n)
{
	char *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(at == MAP_FAILED, "mmap");
	printf("%d %p\n", getpid(), (void *)at);
	while (n--) {
		check(mprotect(at, PAGE, PROT_READ | PROT_EXEC), "mprotect");
		check(mprotect(at, PAGE, PROT_READ | PROT_WRITE), "mprotect");
	}
}

static void *nothing(void *unused)
{
	return unused;
}

static void threads(long n)
{
	pthread_t thread;

	while (n--) {
		check(pthread_create(&thread, NULL, nothing, NULL), "thread");
		pthread_join(thread, NULL);
	}
}

static void *wait_for(void *seconds)
{
	sleep((long)seconds);
	exit(0);
}

static void headless(long n)
{
	pthread_t thread;

	check(pthread_create(&thread, NULL, wait_for, (void *)n), "thread");
	pthread_exit(NULL);
}

static void run_file(const char *folder, long n)
{
	static const unsigned char code[] = {
#if defined(__x86_64__)
		0xc3
#elif defined(__aarch64__)
		0xc0,
		0x03,
		0x5f,
		0xd6
#endif
	};
	char path[4096];
	void *place;
	int fd;

	snprintf(path, sizeof(path), "%s/file-%ld", folder, n);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0755);
	check(fd < 0, path);
	check(write(fd, code, sizeof(code)) != sizeof(code), path);
	place = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	check(place == MAP_FAILED, "mmap");
	((void (*)(void))place)();
	check(munmap(place, PAGE), "munmap");
	close(fd);
	check(unlink(path), path);
}

static void run_files(const char *folder, long n)
{
	long i;

	for (i = 0; i < n; i++)
		run_file(folder, i);
}

static void bpf(long n)
{
	const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
		.insns = (unsigned long)code,
		.insn_cnt = sizeof(code) / sizeof(code[0]),
		.license = (unsigned long)"GPL",
	};
	int fd;

	while (n--) {
		fd = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
		check(fd < 0, "bpf");
		close(fd);
	}
}

static void *spin_thread(void *unused)
{
	for (;;)
		__asm__ volatile("");
	return unused;
}

static void spin(long n)
{
	pthread_t thread;

	while (n-- > 0)
		check(pthread_create(&thread, NULL, spin_thread, NULL),
		      "thread");
	spin_thread(NULL);
}

static void on_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	check(sched_setaffinity(0, sizeof(set), &set), "CPU");
}

/* A straight line of as many instructions as one program may well have. */
static void bpf_run(long n, const char *load, const char *run)
{
	enum { LENGTH = 3000 };
	static struct bpf_insn code[LENGTH];
	static char packet[64];
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
		.insns = (unsigned long)code,
		.insn_cnt = LENGTH,
		.license = (unsigned long)"GPL",
		.prog_name = "op_long",
	};
	int fd, i;

	if (load)
		on_cpu(atoi(load));
	code[0].code = BPF_ALU64 | BPF_MOV | BPF_K;
	for (i = 1; i < LENGTH - 1; i++) {
		code[i].code = BPF_ALU64 | BPF_ADD | BPF_K;
		code[i].imm = i;
	}
	code[LENGTH - 1].code = BPF_JMP | BPF_EXIT;
	fd = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
	check(fd < 0, "bpf");
	if (run) {
		puts("loaded");
		fflush(stdout);
		getchar();
		on_cpu(atoi(run));
	}
	while (n > 0) {
		memset(&attr, 0, sizeof(attr));
		attr.test.prog_fd = fd;
		attr.test.data_in = (unsigned long)packet;
		attr.test.data_size_in = sizeof(packet);
		attr.test.repeat = n < 100000 ? n : 100000;
		check(syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attr, sizeof(attr)),
		      "run");
		n -= 100000;
	}
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "--files")) {
		run_files(argv[2], atol(argv[3]));
		return 0;
	}
	if (argc == 5 && !strcmp(argv[1], "--bpf-run")) {
		bpf_run(atol(argv[2]), argv[3], argv[4]);
		return 0;
	}
	if (argc != 3)
		return 2;
	if (!strcmp(argv[1], "--protect"))
		protect(atol(argv[2]));
	else if (!strcmp(argv[1], "--thread"))
		threads(atol(argv[2]));
	else if (!strcmp(argv[1], "--spin"))
		spin(atol(argv[2]));
	else if (!strcmp(argv[1], "--headless"))
		headless(atol(argv[2]));
	else if (!strcmp(argv[1], "--bpf"))
		bpf(atol(argv[2]));
	else if (!strcmp(argv[1], "--bpf-run"))
		bpf_run(atol(argv[2]), NULL, NULL);
	else
		map_file(argv[1], atol(argv[2]));
	return 0;
}
