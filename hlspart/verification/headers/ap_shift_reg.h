// Shift registers of the tool's library, for runs on a machine without it.
#ifndef HLSPART_RUN_AP_SHIFT_REG_H
#define HLSPART_RUN_AP_SHIFT_REG_H

template <typename T, unsigned N = 32> class ap_shift_reg {
    T items[N];

  public:
    ap_shift_reg(const char * = nullptr) : items() {}
    T read(unsigned at = 0) const { return items[at]; }
    // the item at a place, read before the new one moves in
    T shift(T x, unsigned at = N - 1, bool enable = true) {
        T old = items[at];
        if (enable) {
            for (unsigned k = N - 1; k > 0; k--) items[k] = items[k - 1];
            items[0] = x;
        }
        return old;
    }
};

#endif
