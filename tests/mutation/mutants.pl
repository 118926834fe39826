# The mutants of a C++ source: each changes one token, one condition or one statement of its text.
#
# Operators, by their usual names: AOR arithmetic, LOR bitwise, SOR shift and ASR assignment operators
# replaced; ROR relational operators, COR && and ||; UOI a condition negated; CRP constants moved by one,
# or the other truth value; SDL a statement deleted. Nothing is parsed: clang-format has put spaces
# around operators with two operands, and nowhere else.
use strict;
use warnings;

my %replaced = (
    AOR => { '+' => ['-'], '-' => ['+'], '*' => ['/'], '/' => ['*'], '%' => ['*'] },
    LOR => { '&' => ['|'], '|' => ['&'], '^' => ['|'] },
    SOR => { '<<' => ['>>'], '>>' => ['<<'] },
    ASR => { '+=' => ['-=', '='], '-=' => ['+=', '='], '|=' => ['&=', '='], '&=' => ['|=', '='] },
    ROR => {
        '<' => ['<=', '>='], '<=' => ['<', '>'], '>' => ['>=', '<='], '>=' => ['>', '<'],
        '==' => ['!='], '!=' => ['=='],
    },
    COR => { '&&' => ['||'], '||' => ['&&'] },
);

# Text that only people read, and what the compiler alone evaluates.
my $words_only = qr/\b(?:remark|model_error|SC_REPORT_\w+|shut_down|format|static_assert|using|assert)\b/;
# A member's or local's initial value: constructors and resets set it again.
my $initial_value = qr/^\s*(?:mutable\s+)?[\w:]+(?:<[^;]*>)?\s+\w+\s*=\s*(?:0|false|true)[,;]/;

# The text with comments, strings and preprocessor lines blanked: every other character stays where it is.
sub code_of {
    my ($text) = @_;
    my $blank = sub { my ($s) = @_; $s =~ s/[^\n]/ /g; $s };
    $text =~ s{(//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'|^[ \t]*\#(?:\\\n|[^\n])*)}{$blank->($1)}gmse;
    return $text;
}

# Where the parenthesis that opens at $at is closed.
sub closing {
    my ($code, $at) = @_;
    my $depth = 0;
    pos($code) = $at;
    while ($code =~ /([(){};])/g) {
        $depth += $1 eq '(' ? 1 : $1 eq ')' ? -1 : 0;
        return pos($code) - 1 if $depth == 0;
    }
    return;
}

# All mutants of $text as [offset, length, operator, new text], in the order of the text.
sub mutants_of {
    my ($text, $header) = @_;
    my $code = code_of($text);
    my @found;
    my $add = sub { push @found, [@_] };

    while ($code =~ /(?<= )([-+*\/%&|^<>=!]{1,2})(?= |\n)/g) {
        my ($op, $at) = ($1, $-[1]);
        for my $kind (sort keys %replaced) {
            $add->($at, length $op, $kind, $_) for @{ $replaced{$kind}{$op} || [] };
        }
    }
    $add->($-[0], 2, 'AOR', $1 eq '+' ? '--' : '++') while $code =~ /(?<=[ (])([-+])\1(?=\w)(?![^\n]*\) *\{?\n)/g;
    $add->($-[1], 1, 'LOR', '') while $code =~ /[=(&] ?(~)/g;
    while ($code =~ /(?<![\w.'])(\d+|0x[\dA-F]+)[uUlL]*(?![\w.'])/g) {
        my ($at, $number) = ($-[1], $1);
        next if substr($code, 0, $at) =~ /case\s*$/;
        my $n = $number =~ /^0x/ ? hex $number : $number;
        $add->($at, length $number, 'CRP', $_) for $n == 0 ? (1) : ($n - 1, $n + 1);
    }
    $add->($-[1], length $1, 'CRP', $1 eq 'true' ? 'false' : 'true') while $code =~ /\b(true|false)\b/g;

    # Conditions, and the statement that follows one on its line. A single comparison is ROR's.
    while ($code =~ /\b(?:if|while) (?:constexpr )?(\()/g) {
        my $from = $-[1];
        my $to = closing($code, $from) or next;
        my $condition = substr $text, $from, $to - $from + 1;
        $add->($from, length $condition, 'UOI', "(!$condition)")
            unless $condition =~ / = |;/ || ($condition =~ / (?:[<>]=?|[!=]=) / && $condition !~ /&&|\|\|/);
        substr($code, $to) =~ /^(\)\s+)([^\s{][^;{}]*;)/ or next;
        $add->($to + length $1, length $2, 'SDL', ';') if $2 !~ /^(?:if|for|while|switch)\b/;
    }
    # Statements on lines of their own: assignments, calls, jumps. Declarations have two words before
    # the first operator.
    while ($code =~ /(?<=[;{}:\n])\n[ \t]+((?:(?:\+\+|--)?[A-Za-z_][\w.:\[\]]*(?:->[\w.:\[\]]+)*(?:\([^;{}]*?\))?(?:[.\[][^\s;{}]*)?(?: [-+|&]?= [^;{}]*)?|break|continue|return));/g) {
        my ($at, $statement) = ($-[1], $1);
        pos($code) = $+[0] - 1;
        next if $header || $statement =~ /^\w+$/ && $statement !~ /^(?:break|continue|return)$/;
        my $before = substr $code, 0, $at;
        $add->($at, length($statement) + 1, 'SDL', ';') if $before =~ /[;{}:]\s*$/;
    }

    my %seen;
    my @kept;
    for my $m (sort { $a->[0] <=> $b->[0] || $a->[2] cmp $b->[2] || $a->[3] cmp $b->[3] } @found) {
        my $line_start = 1 + rindex $text, "\n", $m->[0] - ($m->[0] > 0);
        $line_start = 0 if $m->[0] == 0;
        my ($line) = substr($text, $line_start) =~ /^([^\n]*)/;
        next if $line =~ $words_only || $line =~ $initial_value || $seen{"@$m"}++;
        push @kept, $m;
    }
    return @kept;
}

1;
