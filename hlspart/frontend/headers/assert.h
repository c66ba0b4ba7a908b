#ifndef HLSPART_ASSERT_H
#define HLSPART_ASSERT_H
void assert(int condition);
#endif
