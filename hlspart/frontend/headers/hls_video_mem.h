#include "hls_video.h"
