# Make rules of hlspart; include with:  include $(shell hlspart --makefile)
HLSPART ?= hlspart
