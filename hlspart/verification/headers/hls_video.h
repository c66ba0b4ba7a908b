/* the memories of a sliding window and images as channels, as the reader has them; functions on images have no run */
#define HLSPART_RUN
#include "../../frontend/headers/hls_video.h"
