/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The record stream of /dev/oprofile/buffer, for programs that read it.
 *
 * A stream is a sequence of records.  Each begins with a struct
 * op_stream_head, whose size says where the next one begins; sizes are
 * multiples of 16.  Numbers have the byte order of the machine.  Who does not
 * know a type skips the record: later versions add types and append members,
 * and a change that breaks a reader changes OP_STREAM_VERSION.
 *
 * read(2) returns whole records only.  The first of an open file is
 * OP_STREAM_HEADER.  What a reader needs to know of the time before it opened
 * the file comes next and is marked OP_STREAM_F_STATE.
 *
 * Times are nanoseconds of CLOCK_BOOTTIME; those of two records may be some
 * microseconds off.  Process numbers are those of the
 * initial pid namespace.  A task is tgid << 32 | pid.
 *
 * The records of one CPU are in the order in which things happened there, but
 * for samples that were taken in an NMI, which come as a group behind the
 * others of their interval; those of several CPUs are interleaved by interval
 * (sync_ms), and to be ordered by their times.
 */
#ifndef OPROFILE_STREAM_H
#define OPROFILE_STREAM_H

#include <linux/types.h>

/* "oprofile", read as a little-endian number. */
#define OP_STREAM_MAGIC 0x656c69666f72706fULL
#define OP_STREAM_VERSION 1

/* No record is larger, in bytes. */
#define OP_STREAM_RECORD_MAX 0x6000

/**
 * enum op_stream_type - the types of records
 * @OP_STREAM_PAD: nothing; never read by user space
 * @OP_STREAM_CPU: what follows is of this CPU (struct op_stream_value)
 * @OP_STREAM_TASK: what follows is of this task (value)
 * @OP_STREAM_COOKIE: what follows is in this image (value)
 * @OP_STREAM_SAMPLE: one sample; arg: the counter, value: the offset in the
 *	image.  Without CAP_SYSLOG, a kernel address is ~0.
 * @OP_STREAM_TIME: the samples of this CPU up to the next one of its
 *	OP_STREAM_TIME records were taken before this time (value)
 * @OP_STREAM_LOST: something is missing; arg: &enum op_stream_lost, value: how
 *	many
 * @OP_STREAM_NAME: what a cookie stands for (struct op_stream_name)
 * @OP_STREAM_FORK: a new task (struct op_stream_fork)
 * @OP_STREAM_EXEC: a process runs another program (struct op_stream_exec)
 * @OP_STREAM_EXIT: a task has ended (struct op_stream_exit)
 * @OP_STREAM_MAP: memory has become executable (struct op_stream_map); not
 *	said where mremap(2) has moved it
 * @OP_STREAM_UNMAP: executable memory with a file has gone (struct
 *	op_stream_map).  Not said of what goes with its process or at an exec.
 * @OP_STREAM_MODULE: a section of a kernel module is there (struct
 *	op_stream_module); one that is said again takes the first one's place
 * @OP_STREAM_MODULE_GONE: it has gone
 * @OP_STREAM_KSYM: other code of the kernel's is there: BPF, ftrace, kprobes
 *	(struct op_stream_ksym)
 * @OP_STREAM_KSYM_GONE: it has gone
 * @OP_STREAM_RESET: all histograms were emptied
 * @OP_STREAM_HEADER: the first record (struct op_stream_header)
 * @OP_STREAM_COUNTER: what a counter counts (struct op_stream_counter), for
 *	each that is enabled: in the state, and when sampling begins
 */
enum op_stream_type {
	OP_STREAM_PAD,
	OP_STREAM_CPU,
	OP_STREAM_TASK,
	OP_STREAM_COOKIE,
	OP_STREAM_SAMPLE,
	OP_STREAM_TIME,
	OP_STREAM_LOST,
	OP_STREAM_NAME,
	OP_STREAM_FORK,
	OP_STREAM_EXEC,
	OP_STREAM_EXIT,
	OP_STREAM_MAP,
	OP_STREAM_UNMAP,
	OP_STREAM_MODULE,
	OP_STREAM_MODULE_GONE,
	OP_STREAM_KSYM,
	OP_STREAM_KSYM_GONE,
	OP_STREAM_RESET,
	OP_STREAM_HEADER,
	OP_STREAM_COUNTER,
};

/**
 * enum op_stream_lost - what an OP_STREAM_LOST counts
 * @OP_STREAM_LOST_RECORDS: records of this stream that this reader was too
 *	slow for; CPU, task and image are said anew behind it
 * @OP_STREAM_LOST_CPU_BUFFER: samples, as stats/lost_cpu_buffer
 * @OP_STREAM_LOST_MEMORY: samples whose image could not be made, as in
 *	stats/lost_hist_memory and lost_no_memory
 * @OP_STREAM_LOST_NOTIFICATIONS: forks, execs and so on that found their CPU's
 *	buffer full, as stats/notifications_lost
 * @OP_STREAM_LOST_MAPS: processes whose mappings, asked for, could not be had
 */
enum op_stream_lost {
	OP_STREAM_LOST_RECORDS,
	OP_STREAM_LOST_CPU_BUFFER,
	OP_STREAM_LOST_MEMORY,
	OP_STREAM_LOST_NOTIFICATIONS,
	OP_STREAM_LOST_MAPS,
};

/* Bits of arg in notifications and names. */
#define OP_STREAM_F_STATE 0x01	/* was there before the file was opened */
#define OP_STREAM_F_THREAD 0x02 /* FORK: in the same process */
#define OP_STREAM_F_LAST 0x04	/* EXIT: its process's last */
#define OP_STREAM_F_WRITE 0x08	/* MAP: also writable */
#define OP_STREAM_F_SHARED 0x10 /* MAP: shared */

/**
 * struct op_stream_head - what each record begins with
 * @type: &enum op_stream_type
 * @size: of the whole record, bytes
 * @arg: as the type says
 */
struct op_stream_head {
	__u16 type;
	__u16 size;
	__u32 arg;
};

/**
 * struct op_stream_value - CPU, TASK, COOKIE, SAMPLE, TIME, LOST, RESET
 * @head: begins it
 * @value: as the type says; RESET: the time
 */
struct op_stream_value {
	struct op_stream_head head;
	__u64 value;
};

/**
 * struct op_stream_name - NAME; arg: OP_STREAM_F_
 * @head: begins it
 * @cookie: the dcookie
 * @start: address of offset 0 of vmlinux, modules and JIT ranges; else 0
 * @kind: what the image is: 0 file, 1 vmlinux, 2 module, 3 JIT range,
 *	4 anonymous memory, 5 vdso, 6 BPF, 7 unknown
 * @len: of @path, without the NUL behind it
 * @path: as it was at first sight, unescaped
 */
struct op_stream_name {
	struct op_stream_head head;
	__u64 cookie;
	__u64 start;
	__u32 kind;
	__u32 len;
	char path[];
};

/**
 * struct op_stream_fork - FORK; arg: OP_STREAM_F_THREAD
 * @head: begins it
 * @time: when
 * @task: the new one
 * @parent: the task that called
 */
struct op_stream_fork {
	struct op_stream_head head;
	__u64 time;
	__u64 task;
	__u64 parent;
};

/**
 * struct op_stream_exec - EXEC; arg: 0
 * @head: begins it
 * @time: when
 * @task: whose; its mappings of before have gone, and so have the process's
 *	other tasks, the caller's old number among them
 * @cookie: the program, of a script its interpreter; 0 if it has no name for
 *	lack of memory (hist_memory)
 */
struct op_stream_exec {
	struct op_stream_head head;
	__u64 time;
	__u64 task;
	__u64 cookie;
};

/**
 * struct op_stream_exit - EXIT; arg: OP_STREAM_F_LAST: no other task of the
 *	process is left; those that end at the same moment may all say so
 * @head: begins it
 * @time: when
 * @task: which
 * @code: as wait(2) has it
 */
struct op_stream_exit {
	struct op_stream_head head;
	__u64 time;
	__u64 task;
	__u64 code;
};

/**
 * struct op_stream_map - MAP, UNMAP; arg: OP_STREAM_F_
 * @head: begins it
 * @time: when
 * @task: who
 * @cookie: the image; of UNMAP 0; 0 also for lack of memory
 * @start: first byte
 * @len: bytes
 * @offset: in the file, of @start; of UNMAP 0
 * @zero: 0
 */
struct op_stream_map {
	struct op_stream_head head;
	__u64 time;
	__u64 task;
	__u64 cookie;
	__u64 start;
	__u64 len;
	__u64 offset;
	__u64 zero;
};

/**
 * struct op_stream_module - MODULE, MODULE_GONE; arg: OP_STREAM_F_STATE
 * @head: begins it
 * @time: when; 0 in the state
 * @start: the section's address; 0 without CAP_SYSLOG
 * @len: its bytes
 * @text: the module's name, a NUL, the section's name, a NUL
 */
struct op_stream_module {
	struct op_stream_head head;
	__u64 time;
	__u64 start;
	__u64 len;
	char text[];
};

/**
 * struct op_stream_ksym - KSYM, KSYM_GONE; arg: 0
 * @head: begins it
 * @time: when
 * @start: address; 0 without CAP_SYSLOG
 * @len: bytes
 * @name: symbol, with a NUL
 */
struct op_stream_ksym {
	struct op_stream_head head;
	__u64 time;
	__u64 start;
	__u64 len;
	char name[];
};

/**
 * struct op_stream_header - HEADER; arg: OP_STREAM_VERSION
 * @head: begins it
 * @magic: OP_STREAM_MAGIC
 * @boottime: CLOCK_BOOTTIME when the file was opened
 * @realtime: CLOCK_REALTIME of the same moment, ns
 * @cpus: possible CPUs
 * @zero: 0
 * @text: the module's version, a NUL, cpu_type, a NUL
 */
struct op_stream_header {
	struct op_stream_head head;
	__u64 magic;
	__u64 boottime;
	__u64 realtime;
	__u32 cpus;
	__u32 zero;
	char text[];
};

/**
 * struct op_stream_counter - COUNTER; arg: the counter's number
 * @head: begins it
 * @count: period, events a sample; 0 if @freq rules
 * @freq: rate in Hz; 0 if @count rules
 * @modes: 1: samples of the kernel, 2: of user space, 3: of both
 * @event: its name, with a NUL
 */
struct op_stream_counter {
	struct op_stream_head head;
	__u64 count;
	__u32 freq;
	__u32 modes;
	char event[];
};

#endif /* OPROFILE_STREAM_H */
