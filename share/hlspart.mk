# hlspart in a Makefile:
#
#   include $(shell hlspart --makefile)
#
# Then, for a kernel src/fir.cpp (or .c, .cc, .cxx), these are made when something depends on them:
#   $(HLSPART_DIR)/fir.cfg   partition directives for `v++ -c --mode hls --config ...`
#   $(HLSPART_DIR)/fir.tcl   the same for `vitis-run --mode hls --tcl` (source it from the script)
#   $(HLSPART_DIR)/fir.cpp   banked C instead, partitioned as `hlspart infer` finds it, with fir.map.json
#                            (old line <-> new line, banks); HLSPART_REWRITE= keeps to the pragmas that are there
# and `make hlspart-lint` checks $(HLSPART_SOURCES).
#
# An output that comes out as it was keeps its time, so synthesis runs again only when a directive or
# the text has really changed. Headers, configuration and directive files are tracked.

HLSPART ?= hlspart
HLSPART_DIR ?= hlspart-out
HLSPART_SRC ?= src
HLSPART_FLAGS ?=
HLSPART_REWRITE ?= --infer
HLSPART_SUFFIXES := c cpp cc cxx
HLSPART_SOURCES ?= $(sort $(foreach suffix,$(HLSPART_SUFFIXES),$(wildcard $(HLSPART_SRC)/*.$(suffix))))

.PHONY: hlspart-lint
.SECONDARY:

hlspart-lint:
	$(HLSPART) lint $(HLSPART_FLAGS) $(HLSPART_SOURCES)

# The stamp says when hlspart ran; the output itself changes only with its content. $(1): suffix of the kernel.
define HLSPART_RULES
$(HLSPART_DIR)/%.cfg.stamp: $(HLSPART_SRC)/%.$(1)
	@mkdir -p $$(@D)
	$$(HLSPART) directives $$< --emit cfg -o $$(@:.stamp=) -MF $$(@:.stamp=.d) -MT $$@ $$(HLSPART_FLAGS)
	@touch $$@

$(HLSPART_DIR)/%.tcl.stamp: $(HLSPART_SRC)/%.$(1)
	@mkdir -p $$(@D)
	$$(HLSPART) directives $$< --emit tcl -o $$(@:.stamp=) -MF $$(@:.stamp=.d) -MT $$@ $$(HLSPART_FLAGS)
	@touch $$@

$(HLSPART_DIR)/%.$(1).stamp: $(HLSPART_SRC)/%.$(1)
	@mkdir -p $$(@D)
	$$(HLSPART) rewrite $$< $$(HLSPART_REWRITE) -o $$(@:.stamp=) --map $$(@:.$(1).stamp=.map.json) \
	  -MF $$(@:.stamp=.d) -MT $$@ $$(HLSPART_FLAGS)
	@touch $$@

$(HLSPART_DIR)/%.$(1): $(HLSPART_DIR)/%.$(1).stamp
	@test -e $$@ || { rm -f $$<; $$(MAKE) --no-print-directory $$<; }

endef
$(foreach suffix,$(HLSPART_SUFFIXES),$(eval $(call HLSPART_RULES,$(suffix))))

$(HLSPART_DIR)/%.cfg: $(HLSPART_DIR)/%.cfg.stamp
	@test -e $@ || { rm -f $<; $(MAKE) --no-print-directory $<; }
$(HLSPART_DIR)/%.tcl: $(HLSPART_DIR)/%.tcl.stamp
	@test -e $@ || { rm -f $<; $(MAKE) --no-print-directory $<; }

-include $(wildcard $(HLSPART_DIR)/*.d)
