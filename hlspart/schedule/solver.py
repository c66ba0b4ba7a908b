"""HiGHS without a word on standard output, where answers are printed."""

from __future__ import annotations

from typing import Any

import highspy  # type: ignore[import-not-found,import-untyped,unused-ignore]


class _Quiet(highspy.Highs):  # type: ignore[misc,unused-ignore]
    """From 1.16 on the constructor prints a banner when it enables callbacks, before anybody can set an option."""

    def enableCallbacks(self) -> None:
        self.setOptionValue("output_flag", False)
        super().enableCallbacks()  # type: ignore[no-untyped-call,unused-ignore]


def quiet_model() -> Any:
    """An empty model that prints nothing."""
    model = _Quiet()  # type: ignore[no-untyped-call,unused-ignore]
    model.setOptionValue("output_flag", False)
    return model
