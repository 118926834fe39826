draw_history();
draw_stacks();
colour_ring();
colour_map();
draw_flames();
draw_interrupts();
document.documentElement.dataset.charts = charts;
