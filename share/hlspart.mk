# hlspart in a Makefile:
#
#   include $(shell hlspart --makefile)
#
# Then, for a kernel src/fir.c, these are made when something depends on them:
#   $(HLSPART_DIR)/fir.cfg   partition directives for `v++ -c --mode hls --config ...`
#   $(HLSPART_DIR)/fir.tcl   the same for `vitis-run --mode hls --tcl` (source it from the script)
#   $(HLSPART_DIR)/fir.c     banked C instead, with fir.map.json (old line <-> new line, banks)
# and `make hlspart-lint` checks $(HLSPART_SOURCES).
#
# An output that comes out as it was keeps its time, so synthesis runs again only when a directive or
# the text has really changed. Headers, configuration and directive files are tracked.

HLSPART ?= hlspart
HLSPART_DIR ?= hlspart-out
HLSPART_SRC ?= src
HLSPART_FLAGS ?=
HLSPART_SOURCES ?= $(sort $(wildcard $(HLSPART_SRC)/*.c $(HLSPART_SRC)/*.cpp))

.PHONY: hlspart-lint
.SECONDARY:

hlspart-lint:
	$(HLSPART) lint $(HLSPART_FLAGS) $(HLSPART_SOURCES)

# The stamp says when hlspart ran; the output itself changes only with its content.
$(HLSPART_DIR)/%.cfg.stamp: $(HLSPART_SRC)/%.c
	@mkdir -p $(@D)
	$(HLSPART) directives $< --emit cfg -o $(@:.stamp=) -MF $(@:.stamp=.d) -MT $@ $(HLSPART_FLAGS)
	@touch $@

$(HLSPART_DIR)/%.tcl.stamp: $(HLSPART_SRC)/%.c
	@mkdir -p $(@D)
	$(HLSPART) directives $< --emit tcl -o $(@:.stamp=) -MF $(@:.stamp=.d) -MT $@ $(HLSPART_FLAGS)
	@touch $@

$(HLSPART_DIR)/%.c.stamp: $(HLSPART_SRC)/%.c
	@mkdir -p $(@D)
	$(HLSPART) rewrite $< -o $(@:.stamp=) --map $(@:.c.stamp=.map.json) -MF $(@:.stamp=.d) -MT $@ $(HLSPART_FLAGS)
	@touch $@

$(HLSPART_DIR)/%.cfg: $(HLSPART_DIR)/%.cfg.stamp
	@test -e $@ || { rm -f $<; $(MAKE) --no-print-directory $<; }
$(HLSPART_DIR)/%.tcl: $(HLSPART_DIR)/%.tcl.stamp
	@test -e $@ || { rm -f $<; $(MAKE) --no-print-directory $<; }
$(HLSPART_DIR)/%.c: $(HLSPART_DIR)/%.c.stamp
	@test -e $@ || { rm -f $<; $(MAKE) --no-print-directory $<; }

-include $(wildcard $(HLSPART_DIR)/*.d)
