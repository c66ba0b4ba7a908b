/* the memories of a sliding window, as the reader has them */
#include "../../frontend/headers/hls_video.h"
