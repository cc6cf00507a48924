#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Breaks an ELF file (little-endian, of 64 or 32 bits) in many ways, the same at
# each run:
#
#     mutate.pl FILE FOLDER PREFIX
#
# writes FOLDER/PREFIX-WHAT for each and prints their paths.

use strict;
use warnings;

my ($file, $folder, $prefix) = @ARGV;
my $good = do {
	open(my $in, '<:raw', $file) or die "$file: $!";
	local $/;
	<$in>;
};
my $wide = ord(substr($good, 4, 1)) == 2;
my $word = $wide ? 'Q' : 'L';
my $bytes = $wide ? 8 : 4;
my $all = $wide ? ~0 : 0xffffffff;

sub put {
	my ($what, $content) = @_;
	my $path = "$folder/$prefix-$what";

	open(my $out, '>:raw', $path) or die "$path: $!";
	print $out $content;
	close($out);
	print "$path\n";
}

sub patch {
	my ($what, @changes) = @_;
	my $copy = $good;

	while (my ($at, $value) = splice(@changes, 0, 2)) {
		next if $at + length($value) > length($copy);
		substr($copy, $at, length($value)) = $value;
	}
	put($what, $copy);
}

# Fields: name, offset, unpack letter.
my @header = $wide ?
	(['type', 16, 'S'], ['machine', 18, 'S'], ['version', 20, 'L'],
	 ['phoff', 32, 'Q'], ['shoff', 40, 'Q'], ['ehsize', 52, 'S'],
	 ['phentsize', 54, 'S'], ['phnum', 56, 'S'], ['shentsize', 58, 'S'],
	 ['shnum', 60, 'S'], ['shstrndx', 62, 'S']) :
	(['type', 16, 'S'], ['machine', 18, 'S'], ['version', 20, 'L'],
	 ['phoff', 28, 'L'], ['shoff', 32, 'L'], ['ehsize', 40, 'S'],
	 ['phentsize', 42, 'S'], ['phnum', 44, 'S'], ['shentsize', 46, 'S'],
	 ['shnum', 48, 'S'], ['shstrndx', 50, 'S']);
my @segment = $wide ?
	(['type', 0, 'L'], ['flags', 4, 'L'], ['offset', 8, 'Q'],
	 ['vaddr', 16, 'Q'], ['filesz', 32, 'Q'], ['memsz', 40, 'Q'],
	 ['align', 48, 'Q']) :
	(['type', 0, 'L'], ['offset', 4, 'L'], ['vaddr', 8, 'L'],
	 ['filesz', 16, 'L'], ['memsz', 20, 'L'], ['flags', 24, 'L'],
	 ['align', 28, 'L']);
my @section = $wide ?
	(['name', 0, 'L'], ['type', 4, 'L'], ['flags', 8, 'Q'],
	 ['offset', 24, 'Q'], ['size', 32, 'Q'], ['link', 40, 'L'],
	 ['info', 44, 'L'], ['addralign', 48, 'Q'], ['entsize', 56, 'Q']) :
	(['name', 0, 'L'], ['type', 4, 'L'], ['flags', 8, 'L'],
	 ['offset', 16, 'L'], ['size', 20, 'L'], ['link', 24, 'L'],
	 ['info', 28, 'L'], ['addralign', 32, 'L'], ['entsize', 36, 'L']);
my ($segment_size, $section_size, $symbol_size) =
	$wide ? (56, 64, 24) : (32, 40, 16);
my %value = map { $header[$_][0] => unpack($header[$_][2],
	substr($good, $header[$_][1], 8)) } 0 .. $#header;

sub field {
	my ($base, $fields, $name) = @_;
	my ($found) = grep { $_->[0] eq $name } @$fields;

	return ($base + $found->[1], $found->[2]);
}

sub get {
	my ($base, $fields, $name) = @_;
	my ($at, $letter) = field($base, $fields, $name);

	return unpack($letter, substr($good, $at, 8));
}

# Values that make no sense, for a field of this size.
sub absurd {
	my ($letter) = @_;

	return map { [$_->[0], pack($letter, $_->[1])] }
		$letter eq 'S' ? (['0', 0], ['1', 1], ['max', 0xffff],
				  ['near', 0xff00]) :
		$letter eq 'L' ? (['0', 0], ['max', 0xffffffff],
				  ['half', 0x7fffffff], ['size', length($good)]) :
		(['0', 0], ['max', ~0], ['half', ~0 >> 1],
		 ['size', length($good) - 1]);
}

put('empty', '');
put('magic', "\x7fELF");
put('text', "#!/bin/sh\necho hello\n");
put('zeros', "\0" x 4096);
for (1 .. 19) {
	put("cut-$_", substr($good, 0, int(length($good) * $_ / 20)));
}
put('cut-end', substr($good, 0, length($good) - 1));
put("cut-header-$_", substr($good, 0, $_)) for (5, 16, 40, 63, 64, 65, 120);
patch("ident-$_->[0]", $_->[1], $_->[2])
	for (['class', 4, "\x03"], ['other-class', 4, $wide ? "\x01" : "\x02"],
	     ['data', 5, "\x02"], ['no-data', 5, "\x09"], ['version', 6, "\x07"]);
for my $field (@header) {
	patch("e_$field->[0]-$_->[0]", $field->[1], $_->[1])
		for absurd($field->[2]);
}

my @loads = grep { get($value{phoff} + $segment_size * $_, \@segment, 'type') == 1 }
	0 .. $value{phnum} - 1;
for my $n (@loads) {
	my $base = $value{phoff} + $segment_size * $n;

	for my $field (@segment) {
		patch("p$n-$field->[0]-$_->[0]", $base + $field->[1], $_->[1])
			for absurd($field->[2]);
	}
}
# All segments in one place.
if (@loads) {
	my $base = $value{phoff} + $segment_size * $loads[0];
	my @same = map {
		my $other = $value{phoff} + $segment_size * $_;
		($other, substr($good, $base, $segment_size));
	} @loads;

	patch('segments-same', @same);
	patch('segments-all-exec', map {
		my ($at) = field($value{phoff} + $segment_size * $_, \@segment,
				 'flags');
		($at, pack('L', 7)) } @loads);
	patch('segments-overlap', map {
		my $other = $value{phoff} + $segment_size * $_;
		((field($other, \@segment, 'offset'))[0], pack($word, 0),
		 (field($other, \@segment, 'filesz'))[0],
		 pack($word, length($good))) } @loads);
}

# The sections by name.
my $names = $value{shoff} + $section_size * $value{shstrndx};
my $names_at = get($names, \@section, 'offset');
my %section_of;
for my $n (1 .. $value{shnum} - 1) {
	my $base = $value{shoff} + $section_size * $n;
	my $name = unpack('Z*', substr($good, $names_at +
			get($base, \@section, 'name')));

	$section_of{$name} = $base;
}
for my $name (qw(.symtab .strtab .shstrtab .dynsym .dynstr .gnu_debugdata
		 .gnu_debuglink .note.gnu.build-id .debug_line .debug_info
		 .debug_abbrev .debug_str .text)) {
	my $base = $section_of{$name} or next;
	my $at = get($base, \@section, 'offset');
	my $size = get($base, \@section, 'size');

	for my $field (@section) {
		patch("s$name-$field->[0]-$_->[0]", $base + $field->[1], $_->[1])
			for absurd($field->[2]);
	}
	my ($flags) = field($base, \@section, 'flags');
	# Said to be compressed, and to unpack to ever so much.
	patch("s$name-packed", $flags, pack($word, 0x800));
	patch("s$name-bomb", $flags, pack($word, 0x800), $at, $wide ?
		pack('LLQQ', 1, 0, 1 << 50, 1) : pack('LLL', 1, 0x7fffffff, 1));
	patch("s$name-bomb-small", $flags, pack($word, 0x800), $at, $wide ?
		pack('LLQQ', 1, 0, $size * 900, 1) : pack('LLL', 1, $size * 900, 1));
	patch("s$name-xxx", $at, 'x' x $size);
	patch("s$name-zeros", $at, "\0" x $size);
	patch("s$name-ones", $at, "\xff" x $size);
	# Noise: a fixed sequence of numbers that looks random.
	my $seed = 12345;
	for my $round (1 .. 4) {
		my @noise;
		for (1 .. 20) {
			$seed = ($seed * 1103515245 + 12345) & 0x7fffffff;
			push(@noise, $at + $seed % ($size || 1),
			     chr(($seed >> 16) & 0xff));
		}
		patch("s$name-noise-$round", @noise);
	}
}
# Each symbol in turn gets what makes no sense.
if (my $base = $section_of{'.symtab'}) {
	my $at = get($base, \@section, 'offset');
	my $count = get($base, \@section, 'size') / $symbol_size;
	my ($value_at, $size_at, $index_at, $info_at) =
		$wide ? (8, 16, 6, 4) : (4, 8, 14, 12);

	for my $change (['name', 0, pack('L', 0xfffffff0)],
			['value', $value_at, pack($word, $all)],
			['size', $size_at, pack($word, $all)],
			['section', $index_at, pack('S', 0xfeff)],
			['xindex', $index_at, pack('S', 0xffff)],
			['abs', $index_at, pack('S', 0xfff1)],
			['info', $info_at, "\xff"]) {
		patch("symbols-$change->[0]", map {
			($at + $symbol_size * $_ + $change->[1], $change->[2])
		} 0 .. $count - 1);
	}
}
