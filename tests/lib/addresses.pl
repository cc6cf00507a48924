#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Prints what looks like an address of the kernel, a line each: FILE VALUE.
#
#     addresses.pl [--low NUMBER]... [--stream FILE]... FILE...
#
# In a text that is any number, of whatever base, that as 64 bits is in the upper
# half, but for the greatest, which says that there is none; in a recorded stream
# any eight bytes where a number may stand. --low is the lower half of an address
# that is known: no number may be that either.

use strict;
use warnings;
no warnings 'portable';

my %low;
my @streams;

while (@ARGV && $ARGV[0] =~ /^--(low|stream)$/) {
	my $option = $1;

	shift(@ARGV);
	if ($option eq 'low') {
		$low{hex(shift(@ARGV)) & 0xffffffff} = 1;
	} else {
		push(@streams, shift(@ARGV));
	}
}
delete $low{0};

sub is_address {
	my ($n) = @_;

	return ($n >= 0xffff800000000000 && $n != 0xffffffffffffffff) ||
	       exists($low{$n});
}

sub slurp {
	my ($file) = @_;

	open(my $in, '<:raw', $file) or die "addresses.pl: $file: $!\n";
	local $/;
	my $text = <$in>;
	return defined($text) ? $text : '';
}

for my $file (@streams) {
	for my $n (unpack('Q<*', slurp($file))) {
		printf("%s 0x%x\n", $file, $n) if is_address($n);
	}
}
for my $file (@ARGV) {
	my $text = slurp($file);

	while ($text =~ /(?<![0-9a-zA-Z])(?:0x)?([0-9a-f]{5,16})(?![0-9a-zA-Z])/gi) {
		printf("%s 0x%s\n", $file, $1) if is_address(hex($1));
	}
	while ($text =~ /(?<![0-9a-zA-Z])(-?)([0-9]{6,20})(?![0-9a-zA-Z])/g) {
		next if length($2) == 20 && $2 gt '18446744073709551615';
		my $n = $1 ? (~$2 + 1) & 0xffffffffffffffff : $2 + 0;

		printf("%s %s%s\n", $file, $1, $2) if is_address($n);
	}
}
