// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names for offsets in images: who may ask, who loads, and who waits.
 *
 * One thread loads, an image at a time, in the order in which they were asked
 * for, into a table that nobody else sees yet; then it is hung in under the
 * lock.  Askers hold the lock for a look into a hash and a binary search, so
 * whatever a file is like, they never wait for it.
 *
 * An image that can get more names (anon, bpf) is looked at again when an
 * offset was asked for that has none: soon at first, ever more seldom if that
 * brings nothing.
 */
#define _GNU_SOURCE 1
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "images.h"
#include "loader.h"

#define OP_RELOAD_FIRST 1000000000ull /* ns */
#define OP_RELOAD_LAST 64000000000ull
/* How long the end waits for the thread. */
#define OP_END_SECONDS 2
/* Loading may take that part of the thread's time. */
#define OP_RELOAD_SHARE 20

/**
 * struct op_symbols - the symboliser
 * @lock: guards all below but @loader, which is the thread's, @lines, which has
 *	its own, and what is set once
 * @work: there is something to load, or it is to end
 * @idle: all that was asked for is loaded, or the thread has ended
 * @images: all that was asked for
 * @first: to be loaded next, @last after all others
 * @retired: tables of which only the names that were given out are left
 */
struct op_symbols {
	pthread_mutex_t lock;
	pthread_cond_t work;
	pthread_cond_t idle;
	pthread_t thread;
	struct op_loader *loader;
	struct op_lines *lines;
	int fd;
	bool raw;
	bool stop;
	bool ended;
	bool busy;
	struct op_images images;
	struct op_image *first;
	struct op_image *last;
	struct op_names **retired;
	size_t retired_count;
	double seconds;
};

static uint64_t op_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static void op_image_enqueue(struct op_symbols *symbols, struct op_image *image)
{
	if (image->queued)
		return;
	image->queued = true;
	image->queue = NULL;
	if (symbols->last)
		symbols->last->queue = image;
	else
		symbols->first = image;
	symbols->last = image;
	pthread_cond_signal(&symbols->work);
}

/* There may be more names by now.  The lock is held. */
static void op_image_look_again(struct op_symbols *symbols,
				struct op_image *image)
{
	if (image->can_change && !image->loading &&
	    image->state != OP_SYMBOLS_WAITING && op_now() >= image->again)
		op_image_enqueue(symbols, image);
}

static void op_symbols_tell(struct op_symbols *symbols)
{
	uint64_t one = 1;

	/* It can only fail if nobody reads, and then it is readable. */
	if (write(symbols->fd, &one, sizeof(one)) < 0)
		return;
}

/* A table's names may be on the screen. */
static void op_names_put_away(struct op_symbols *symbols,
			      struct op_names *names)
{
	struct op_names **retired;

	if (!names)
		return;
	if (!op_names_retire(names)) {
		op_names_free(names);
		return;
	}
	retired = realloc(symbols->retired,
			  (symbols->retired_count + 1) * sizeof(*retired));
	if (!retired)
		return; /* lost, but whoever shows its names is right to */
	retired[symbols->retired_count++] = names;
	symbols->retired = retired;
}

/*
 * What is known of an image; asked for now if it was not yet, or if it is no
 * longer what it was: a module may come back at another place.  The lock is
 * held.
 */
static struct op_image *op_image_get(struct op_symbols *symbols,
				     const struct op_image_key *key)
{
	struct op_image *image = op_images_find(&symbols->images, key);

	if (!image) {
		image = op_images_add(&symbols->images, key);
		if (!image)
			return NULL;
		image->interval = OP_RELOAD_FIRST;
		image->can_change = op_loader_can_change(image->key.path);
		op_image_enqueue(symbols, image);
		return image;
	}
	if (!op_image_changed(image, key) || !op_image_set(image, key))
		return image;
	image->stale = image->loading;
	image->state = OP_SYMBOLS_WAITING;
	op_names_put_away(symbols, image->names);
	image->names = NULL;
	op_image_enqueue(symbols, image);
	return image;
}

/* The thread's, without the lock.  *names: NULL if there is nothing new. */
static enum op_symbols_state op_image_load(struct op_symbols *symbols,
					   const struct op_image_key *key,
					   bool again, uint64_t *stamp,
					   struct op_names **names)
{
	enum op_symbols_state state;
	uint64_t now = 0;

	*names = NULL;
	if (op_loader_can_change(key->path))
		now = op_loader_stamp(symbols->loader, key->path);
	if (again && now && now == *stamp)
		return OP_SYMBOLS_WAITING;
	*stamp = now;
	*names = op_names_new(symbols->raw);
	if (!*names)
		return OP_SYMBOLS_NONE;
	state = op_loader_load(symbols->loader, key, *names);
	if (state == OP_SYMBOLS_LOADED && !op_names_finish(*names))
		state = OP_SYMBOLS_NONE;
	if (state != OP_SYMBOLS_LOADED || !op_names_count(*names)) {
		op_names_free(*names);
		*names = NULL;
		if (state == OP_SYMBOLS_LOADED)
			state = OP_SYMBOLS_NONE;
	}
	return state;
}

/* Hang in what was loaded.  The lock is held. */
static void op_image_publish(struct op_symbols *symbols, struct op_image *image,
			     enum op_symbols_state state,
			     struct op_names *names, uint64_t spent)
{
	bool news = state != OP_SYMBOLS_WAITING &&
		    (names || state != image->state);

	image->loading = false;
	if (image->stale) {
		image->stale = false;
		op_names_free(names);
		return;
	}
	if (state != OP_SYMBOLS_WAITING) {
		/* More names than before, or there is no use in hurry. */
		bool more = names && (!image->names ||
				      op_names_count(names) !=
					      op_names_count(image->names));

		image->interval = more ? OP_RELOAD_FIRST : 2 * image->interval;
		op_names_put_away(symbols, image->names);
		image->names = names;
		image->state = state;
	} else {
		image->interval *= 2;
	}
	if (image->interval > OP_RELOAD_LAST)
		image->interval = OP_RELOAD_LAST;
	if (image->interval < OP_RELOAD_SHARE * spent)
		image->interval = OP_RELOAD_SHARE * spent;
	image->again = op_now() + image->interval;
	if (news)
		op_symbols_tell(symbols);
}

/* Load the first that waits.  The lock is held, but not while loading. */
static void op_symbols_work(struct op_symbols *symbols)
{
	struct op_image *image = symbols->first;
	bool again = image->state != OP_SYMBOLS_WAITING;
	enum op_symbols_state state = OP_SYMBOLS_NONE;
	struct op_names *names = NULL;
	uint64_t begin = op_now(), spent, stamp = image->stamp;
	struct op_image_key key;

	symbols->first = image->queue;
	if (!symbols->first)
		symbols->last = NULL;
	image->queued = false;
	image->loading = true;
	if (op_key_copy(&key, &image->key)) {
		pthread_mutex_unlock(&symbols->lock);
		state = op_image_load(symbols, &key, again, &stamp, &names);
		pthread_mutex_lock(&symbols->lock);
	}
	op_key_drop(&key);
	spent = op_now() - begin;
	symbols->seconds += spent / 1e9;
	image->stamp = stamp;
	op_image_publish(symbols, image, state, names, spent);
}

static void *op_symbols_thread(void *context)
{
	struct op_symbols *symbols = context;

	pthread_mutex_lock(&symbols->lock);
	while (!symbols->stop) {
		if (symbols->first) {
			symbols->busy = true;
			op_symbols_work(symbols);
			continue;
		}
		if (symbols->busy) {
			pthread_mutex_unlock(&symbols->lock);
			op_loader_idle(symbols->loader);
			pthread_mutex_lock(&symbols->lock);
			if (symbols->first)
				continue;
			symbols->busy = false;
			pthread_cond_broadcast(&symbols->idle);
		}
		if (!symbols->stop)
			pthread_cond_wait(&symbols->work, &symbols->lock);
	}
	symbols->ended = true;
	pthread_cond_broadcast(&symbols->idle);
	pthread_mutex_unlock(&symbols->lock);
	return NULL;
}

/**
 * op_symbols_new - begin
 * @config: where names come from; copied
 *
 * Return: the symboliser; NULL if there is no memory, thread or file for it.
 */
struct op_symbols *op_symbols_new(const struct op_symbols_config *config)
{
	struct op_symbols *symbols = calloc(1, sizeof(*symbols));
	sigset_t all, old;
	int error;

	if (!symbols)
		return NULL;
	symbols->raw = config->raw;
	symbols->loader = op_loader_new(config);
	if (!op_images_init(&symbols->images) || !symbols->loader)
		goto err_loader;
	symbols->lines = op_lines_new(op_loader_config(symbols->loader));
	if (!symbols->lines)
		goto err_loader;
	symbols->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (symbols->fd < 0)
		goto err_lines;
	pthread_mutex_init(&symbols->lock, NULL);
	pthread_cond_init(&symbols->work, NULL);
	pthread_cond_init(&symbols->idle, NULL);
	/* Signals are the view's, which has a terminal to put in order. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	error = pthread_create(&symbols->thread, NULL, op_symbols_thread,
			       symbols);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (error)
		goto err_lock;
	return symbols;

err_lock:
	pthread_cond_destroy(&symbols->idle);
	pthread_cond_destroy(&symbols->work);
	pthread_mutex_destroy(&symbols->lock);
	close(symbols->fd);
err_lines:
	op_lines_free(symbols->lines);
err_loader:
	op_loader_free(symbols->loader);
	op_images_free(&symbols->images);
	free(symbols);
	return NULL;
}

/* Tell the thread to end; whether it has. */
static bool op_symbols_stop(struct op_symbols *symbols)
{
	struct timespec end;
	int error = 0;
	bool ended;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += OP_END_SECONDS;
	pthread_mutex_lock(&symbols->lock);
	symbols->stop = true;
	pthread_cond_signal(&symbols->work);
	while (!symbols->ended && !error)
		error = pthread_cond_timedwait(&symbols->idle, &symbols->lock,
					       &end);
	ended = symbols->ended;
	pthread_mutex_unlock(&symbols->lock);
	return ended;
}

/**
 * op_symbols_free - end, with all names that were given out
 * @symbols: may be NULL
 *
 * Waits for the file that is being loaded, but not for ever: a thread that hangs
 * in a file system or waits for a server is left alone with all that it uses.
 */
void op_symbols_free(struct op_symbols *symbols)
{
	if (!symbols)
		return;
	if (!op_symbols_stop(symbols)) {
		pthread_detach(symbols->thread);
		return;
	}
	pthread_join(symbols->thread, NULL);
	for (size_t i = 0; i < symbols->retired_count; i++)
		op_names_free(symbols->retired[i]);
	free(symbols->retired);
	op_images_free(&symbols->images);
	pthread_cond_destroy(&symbols->idle);
	pthread_cond_destroy(&symbols->work);
	pthread_mutex_destroy(&symbols->lock);
	close(symbols->fd);
	op_lines_free(symbols->lines);
	op_loader_free(symbols->loader);
	free(symbols);
}

/**
 * op_symbols_fd - to be told of news
 * @symbols: the symboliser
 *
 * Return: a file descriptor for poll(2).
 */
int op_symbols_fd(struct op_symbols *symbols)
{
	return symbols->fd;
}

/**
 * op_symbols_state - ask for an image
 * @symbols: the symboliser
 * @key: the image
 *
 * Return: what is known of its names now.
 */
enum op_symbols_state op_symbols_state(struct op_symbols *symbols,
				       const struct op_image_key *key)
{
	enum op_symbols_state state = OP_SYMBOLS_WAITING;
	struct op_image *image;

	pthread_mutex_lock(&symbols->lock);
	image = op_image_get(symbols, key);
	if (image) {
		state = image->state;
		/* Who is told that there are no names asks for none. */
		if (!image->names)
			op_image_look_again(symbols, image);
	}
	pthread_mutex_unlock(&symbols->lock);
	return state;
}

/**
 * op_symbols_wait - until all that was asked for is loaded
 * @symbols: the symboliser
 */
void op_symbols_wait(struct op_symbols *symbols)
{
	pthread_mutex_lock(&symbols->lock);
	while (symbols->first || symbols->busy)
		pthread_cond_wait(&symbols->idle, &symbols->lock);
	pthread_mutex_unlock(&symbols->lock);
}

/**
 * op_symbols_find - the name at an offset
 * @symbols: the symboliser
 * @key: the image, which is asked for if it was not yet
 * @offset: in it
 * @symbol: filled in if there is one
 *
 * Return: whether there is one.
 */
bool op_symbols_find(struct op_symbols *symbols, const struct op_image_key *key,
		     uint64_t offset, struct op_symbol *symbol)
{
	struct op_image *image;
	bool found;

	pthread_mutex_lock(&symbols->lock);
	image = op_image_get(symbols, key);
	found = image && image->names &&
		op_names_find(image->names, offset, symbol);
	if (image && !found)
		op_image_look_again(symbols, image);
	pthread_mutex_unlock(&symbols->lock);
	return found;
}

/**
 * op_symbols_line - the line of the source at an offset
 * @symbols: the symboliser
 * @key: the image
 * @offset: in it
 * @text: FILE:LINE, or empty
 * @size: its room
 *
 * Return: whether it is known.
 */
bool op_symbols_line(struct op_symbols *symbols, const struct op_image_key *key,
		     uint64_t offset, char *text, size_t size)
{
	struct op_image_key whole = *key;

	whole.path = op_key_path(key);
	return op_lines_source(symbols->lines, &whole, offset, text, size);
}

/**
 * op_symbols_instruction - the instruction at an offset
 * @symbols: the symboliser
 * @key: the image
 * @offset: in it
 * @text: filled in, or empty
 * @size: its room
 *
 * Return: whether it is known.
 */
bool op_symbols_instruction(struct op_symbols *symbols,
			    const struct op_image_key *key, uint64_t offset,
			    char *text, size_t size)
{
	struct op_image_key whole = *key;

	whole.path = op_key_path(key);
	return op_lines_code(symbols->lines, &whole, offset, text, size);
}

/**
 * op_symbols_totals - what was done so far
 * @symbols: the symboliser
 * @totals: filled in
 */
void op_symbols_totals(struct op_symbols *symbols,
		       struct op_symbols_totals *totals)
{
	memset(totals, 0, sizeof(*totals));
	pthread_mutex_lock(&symbols->lock);
	totals->images = symbols->images.count;
	totals->seconds = symbols->seconds;
	for (size_t i = 0; i < symbols->images.size; i++) {
		for (struct op_image *image = symbols->images.buckets[i]; image;
		     image = image->next) {
			totals->unreadable += image->state ==
					      OP_SYMBOLS_MISSING;
			totals->broken += image->state == OP_SYMBOLS_BROKEN;
			totals->changed += image->state == OP_SYMBOLS_CHANGED;
			totals->none += image->state == OP_SYMBOLS_NONE;
			if (image->names)
				totals->symbols += op_names_count(image->names);
		}
	}
	pthread_mutex_unlock(&symbols->lock);
}

/**
 * op_symbols_state_text - a state, to be shown
 * @state: the state
 *
 * Return: some words.
 */
const char *op_symbols_state_text(enum op_symbols_state state)
{
	switch (state) {
	case OP_SYMBOLS_WAITING:
		return "loading symbols";
	case OP_SYMBOLS_LOADED:
		return "symbols loaded";
	case OP_SYMBOLS_NONE:
		return "no symbols";
	case OP_SYMBOLS_MISSING:
		return "file missing or not readable";
	case OP_SYMBOLS_CHANGED:
		return "not the file that was sampled any more";
	case OP_SYMBOLS_BROKEN:
		return "not an ELF file that makes sense";
	}
	return "";
}
