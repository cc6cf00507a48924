// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an instruction says, by capstone, if there is one.
 */
#define _GNU_SOURCE 1
#include <stdio.h>

#ifdef HAVE_CAPSTONE
#include <capstone/capstone.h>
#endif

#include "loader.h"

#ifdef HAVE_CAPSTONE
static bool op_machine(const struct op_elf *file, cs_arch *arch, cs_mode *mode)
{
	bool big = file->header.e_ident[EI_DATA] == ELFDATA2MSB;

	switch (file->header.e_machine) {
	case EM_X86_64:
		*arch = CS_ARCH_X86;
		*mode = CS_MODE_64;
		return true;
	case EM_386:
		*arch = CS_ARCH_X86;
		*mode = CS_MODE_32;
		return true;
	case EM_AARCH64:
		/* Instructions are little-endian whatever the data are. */
		*arch = CS_ARCH_ARM64;
		*mode = CS_MODE_ARM;
		return true;
	case EM_PPC64:
		*arch = CS_ARCH_PPC;
		*mode = CS_MODE_64 | (big ? CS_MODE_BIG_ENDIAN : 0);
		return true;
	case EM_S390:
		*arch = CS_ARCH_SYSZ;
		*mode = CS_MODE_BIG_ENDIAN;
		return true;
	default:
		return false;
	}
}
#endif

/**
 * op_instruction_text - disassemble one
 * @file: whose machine it is for
 * @code: its bytes, and maybe some of the next
 * @length: how many these are
 * @address: where it is, which jumps are relative to
 * @text: filled in
 * @size: its room
 *
 * Return: false if it is none, or the machine is unknown.
 */
bool op_instruction_text(const struct op_elf *file, const void *code,
			 size_t length, uint64_t address, char *text,
			 size_t size)
{
#ifdef HAVE_CAPSTONE
	cs_arch arch;
	cs_mode mode;
	csh handle;
	cs_insn *found;
	size_t count;

	if (!op_machine(file, &arch, &mode) ||
	    cs_open(arch, mode, &handle) != CS_ERR_OK)
		return false;
	count = cs_disasm(handle, code, length, address, 1, &found);
	if (count) {
		snprintf(text, size, "%s%s%s", found->mnemonic,
			 *found->op_str ? " " : "", found->op_str);
		cs_free(found, count);
	}
	cs_close(&handle);
	return count;
#else
	(void)file, (void)code, (void)length, (void)address;
	(void)text, (void)size;
	return false;
#endif
}
