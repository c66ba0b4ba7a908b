// Nothing in it changes what a program computes.
