#ifndef HLSPART_HLS_TASK_H
#define HLSPART_HLS_TASK_H
#endif
