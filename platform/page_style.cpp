#include <platform/page_parts.h>

namespace platform {

// Has none of the characters that XML would want escaped.
const std::string_view page_style = R"css(
:root { color-scheme: light dark; --text: #1a1a1a; --back: #fff; --line: #ccc; --soft: #666;
  --bar: #bcd8f5; --heat: #c2410c; --bad: #b00020; --good: #1b6e2c; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e4e4; --back: #16181b; --line: #3c4046; --soft: #a0a0a0;
    --bar: #23486e; --heat: #fb923c; --bad: #ff8a8a; --good: #7fd491; }
}
body { font: 0.95rem/1.45 system-ui, sans-serif; color: var(--text); background: var(--back); margin: 1rem 3%; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; border-bottom: 1px solid var(--line); margin-top: 2rem; }
h3 { font-size: 1rem; }
a { color: inherit; }
.wide { overflow: auto; max-height: 40em; margin: 0.7rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); }
th, td { text-align: left; padding: 0.1em 0.7em; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th { font-weight: 600; white-space: nowrap; }
tbody th { font-weight: normal; }
thead th { position: sticky; top: 0; background: var(--back); }
.n { text-align: right; white-space: nowrap; }
.b { min-width: 7em; background: linear-gradient(to right, var(--bar) var(--f), transparent 0); }
.mark, .bad { color: var(--bad); font-weight: 600; }
.good { color: var(--good); font-weight: 600; }
.note, figcaption { color: var(--soft); }
figure { margin: 0.9rem 0; }
svg { display: block; }
svg rect.h { fill: var(--heat); stroke: var(--line); stroke-width: 0.5; }
svg text { font: 12px system-ui, sans-serif; fill: #1a1a1a; }
svg text.a { fill: var(--soft); }
.c0 { fill: #f4a261; } .c1 { fill: #e9c46a; } .c2 { fill: #f28482; } .c3 { fill: #f6bd60; }
.c4 { fill: #f7a072; } .c5 { fill: #eeb4a0; } .c6 { fill: #e5989b; } .c7 { fill: #ffd166; }
pre { overflow: auto; }
)css";

}  // namespace platform
