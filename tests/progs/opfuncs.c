// SPDX-License-Identifier: GPL-2.0-only
/*
 * Says which functions of an ELF file the offsets of a histogram belong to.
 *
 * usage: opfuncs ELF			"NAME 0xOFFSET SIZE" for each function
 *        opfuncs ELF HIST		"NAME COUNT" for each one with samples,
 *					"? COUNT" for what is in none of them
 *        opfuncs -a ELF HIST		"0xADDRESS COUNT": offsets as the file's
 *					own virtual addresses ("?" for none)
 *
 * HIST is a hist file ("-": standard input); counts are its first column's.
 */
#include <err.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct segment {
	uint64_t vaddr, offset, filesz;
};

struct function {
	const char *name;
	uint64_t offset, size, count;
	bool global;
};

static struct segment *segments;
static size_t nr_segments;
static struct function *functions;
static size_t nr_functions;

static void *grow(void *array, size_t n, size_t size)
{
	array = realloc(array, (n + 1) * size);
	if (!array)
		err(1, "realloc");
	return array;
}

static void read_segments(Elf *elf)
{
	struct segment *s;
	GElf_Phdr phdr;
	size_t i, n;

	if (elf_getphdrnum(elf, &n))
		errx(1, "program headers: %s", elf_errmsg(-1));
	for (i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, i, &phdr))
			errx(1, "program header: %s", elf_errmsg(-1));
		if (phdr.p_type != PT_LOAD)
			continue;
		segments = grow(segments, nr_segments, sizeof(*s));
		s = &segments[nr_segments++];
		s->vaddr = phdr.p_vaddr;
		s->offset = phdr.p_offset;
		s->filesz = phdr.p_filesz;
	}
}

static bool offset_of(uint64_t address, uint64_t *offset)
{
	size_t i;

	for (i = 0; i < nr_segments; i++) {
		if (address - segments[i].vaddr < segments[i].filesz) {
			*offset = address - segments[i].vaddr +
				  segments[i].offset;
			return true;
		}
	}
	return false;
}

static bool address_of(uint64_t offset, uint64_t *address)
{
	size_t i;

	for (i = 0; i < nr_segments; i++) {
		if (offset - segments[i].offset < segments[i].filesz) {
			*address =
				offset - segments[i].offset + segments[i].vaddr;
			return true;
		}
	}
	return false;
}

static void read_symbols(Elf *elf, Elf_Scn *section, const GElf_Shdr *shdr)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t i, n = shdr->sh_size / shdr->sh_entsize;
	struct function *f;
	uint64_t offset;
	GElf_Sym sym;

	for (i = 0; data && i < n; i++) {
		if (!gelf_getsym(data, i, &sym))
			errx(1, "symbol: %s", elf_errmsg(-1));
		if (GELF_ST_TYPE(sym.st_info) != STT_FUNC || !sym.st_size ||
		    sym.st_shndx == SHN_UNDEF ||
		    !offset_of(sym.st_value, &offset))
			continue;
		functions = grow(functions, nr_functions, sizeof(*f));
		f = &functions[nr_functions++];
		f->name = elf_strptr(elf, shdr->sh_link, sym.st_name);
		f->offset = offset;
		f->size = sym.st_size;
		f->count = 0;
		f->global = GELF_ST_BIND(sym.st_info) == STB_GLOBAL;
	}
}

static void read_functions(Elf *elf, GElf_Word type)
{
	Elf_Scn *section = NULL;
	GElf_Shdr shdr;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &shdr))
			errx(1, "section: %s", elf_errmsg(-1));
		if (shdr.sh_type == type)
			read_symbols(elf, section, &shdr);
	}
}

/* By place; of several names for one place, a global one first. */
static int compare(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	if (x->global != y->global)
		return x->global ? -1 : 1;
	return strcmp(x->name, y->name);
}

static struct function *find(uint64_t offset)
{
	size_t i;

	for (i = 0; i < nr_functions; i++) {
		if (offset - functions[i].offset < functions[i].size)
			return &functions[i];
	}
	return NULL;
}

static uint64_t count_line(const char *line, bool addresses)
{
	uint64_t offset, count, address;
	struct function *f;
	char *rest;

	offset = strtoull(line, &rest, 16);
	if (rest == line || *rest != ' ')
		errx(1, "not a line of a histogram: %s", line);
	count = strtoull(rest, NULL, 10);
	if (addresses) {
		if (address_of(offset, &address))
			printf("%#" PRIx64 " %" PRIu64 "\n", address, count);
		else
			printf("? %" PRIu64 "\n", count);
		return 0;
	}
	f = find(offset);
	if (!f)
		return count;
	f->count += count;
	return 0;
}

static void count_samples(const char *hist, bool addresses)
{
	uint64_t nowhere = 0;
	char *line = NULL;
	size_t room = 0, i;
	FILE *f;

	f = strcmp(hist, "-") ? fopen(hist, "r") : stdin;
	if (!f)
		err(1, "%s", hist);
	while (getline(&line, &room, f) > 0) {
		if (*line != '#' && *line != '\n')
			nowhere += count_line(line, addresses);
	}
	if (ferror(f))
		err(1, "%s", hist);
	for (i = 0; i < nr_functions; i++) {
		if (functions[i].count)
			printf("%s %" PRIu64 "\n", functions[i].name,
			       functions[i].count);
	}
	if (nowhere)
		printf("? %" PRIu64 "\n", nowhere);
}

int main(int argc, char **argv)
{
	bool addresses = false;
	size_t i;
	Elf *elf;
	int fd;

	if (argc == 4 && !strcmp(argv[1], "-a")) {
		addresses = true;
		argv++;
		argc--;
	}
	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: opfuncs [-a] ELF [HIST]\n");
		return 2;
	}
	if (elf_version(EV_CURRENT) == EV_NONE)
		errx(1, "libelf: %s", elf_errmsg(-1));
	fd = open(argv[1], O_RDONLY);
	if (fd < 0)
		err(1, "%s", argv[1]);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF)
		errx(1, "%s is no ELF file", argv[1]);
	read_segments(elf);
	read_functions(elf, SHT_SYMTAB);
	if (!nr_functions)
		read_functions(elf, SHT_DYNSYM);
	qsort(functions, nr_functions, sizeof(*functions), compare);

	if (argc == 3) {
		count_samples(argv[2], addresses);
	} else {
		for (i = 0; i < nr_functions; i++)
			printf("%s %#" PRIx64 " %" PRIu64 "\n",
			       functions[i].name, functions[i].offset,
			       functions[i].size);
	}
	elf_end(elf);
	close(fd);
	return 0;
}
