#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Holds the symboliser's answers against those of nm and readelf.
#
#     compare.pl LOOKUP FILE [nm option...]
#
# For each symbol in executable memory that has a size, its first and its last
# byte must have a name that nm has for a symbol which contains the byte, and
# that is one of those that start last. The byte behind the last must have none
# unless nm has one.

use strict;
use warnings;

my ($lookup, $file, @options) = @ARGV;
my (@loads, @symbols);

open(my $in, '-|', 'readelf', '-lW', $file) or die;
while (<$in>) {
	next unless /^\s+LOAD\s+(0x\S+)\s+(0x\S+)\s+0x\S+\s+(0x\S+)\s+0x\S+\s+[R ][W ]E/;
	push(@loads, [hex($1), hex($2), hex($3)]);
}
close($in);

sub offset_of {
	my ($address) = @_;

	for (@loads) {
		return $address - $_->[1] + $_->[0]
			if $address >= $_->[1] && $address < $_->[1] + $_->[2];
	}
	return undef;
}

# nm's letters of what is in sections of code.
open($in, '-|', 'nm', '-S', '--defined-only', @options, $file) or die;
my $nothing = 1;
while (<$in>) {
	next unless /^([0-9a-f]+) ([0-9a-f]+) ([tTwWiu]) (\S+)$/;
	my ($offset, $size, $name) = (offset_of(hex($1)), hex($2), $4);

	next if !defined($offset) || !$size;
	$name =~ s/@.*// if grep { $_ eq '-D' } @options;
	push(@symbols, [$offset, $offset + $size, $name]);
}
close($in);
die "nm has no names of $file\n" unless @symbols;
@symbols = sort { $a->[0] <=> $b->[0] } @symbols;

# What may be said of an offset: the names of those that start last.
my @ends;
my $longest = 0;
for (@symbols) {
	my $length = $_->[1] - $_->[0];
	$longest = $length if $length > $longest;
}
sub wanted {
	my ($offset) = @_;
	my ($low, $high) = (0, scalar(@symbols));
	my (%names, $start);

	while ($low < $high) {
		my $middle = int(($low + $high) / 2);
		if ($symbols[$middle][0] <= $offset) {
			$low = $middle + 1;
		} else {
			$high = $middle;
		}
	}
	for (my $i = $low - 1; $i >= 0; $i--) {
		my $symbol = $symbols[$i];
		last if $offset - $symbol->[0] > $longest;
		next if $offset >= $symbol->[1];
		last if defined($start) && $symbol->[0] != $start;
		$start = $symbol->[0];
		$names{$symbol->[2]} = 1;
	}
	return \%names;
}

my %asked;
for (@symbols) {
	$asked{$_} = 1 for ($_->[0], $_->[1] - 1, $_->[1]);
}
my $list = "/tmp/compare.$$";
open(my $out, '>', $list) or die;
print $out "$_\n" for sort { $a <=> $b } keys(%asked);
close($out);
open($in, '-|', "'$lookup' -R '$file' - <$list") or die;
my ($compared, $wrong) = (0, 0);
while (<$in>) {
	my ($offset, $name) = /^0x([0-9a-f]+) (?:-|. (.*)\+0x[0-9a-f]+)$/
		or die "lookup: $_";
	my $wanted = wanted(hex($offset));

	$compared++;
	# A label without a size may be where nothing else is.
	next if defined($name) && $wanted->{$name};
	next if !defined($name) && !%$wanted;
	next if defined($name) && !%$wanted && label($name, hex($offset));
	print "$offset: ", $name // '-', ", but nm has ",
		join(' ', sort(keys(%$wanted))) || '-', "\n" if $wrong++ < 10;
}
close($in);
unlink($list);
print "$compared offsets compared, $wrong wrong\n";
exit($wrong || $compared != keys(%asked) ? 1 : 0);

my %labels;
sub label {
	my ($name, $offset) = @_;

	if (!%labels) {
		open(my $nm, '-|', 'nm', '--defined-only', @options, $file)
			or die;
		while (<$nm>) {
			next unless /^([0-9a-f]+) ([tTwW]) (\S+)$/;
			my $at = offset_of(hex($1));
			$labels{"$at $3"} = 1 if defined($at);
		}
	}
	return $labels{"$offset $name"};
}
