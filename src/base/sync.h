/* Waits for the disk, so that what was written is there after a power cut. The calls return 0 or an errno. */
#ifndef MXB_BASE_SYNC_H
#define MXB_BASE_SYNC_H

/** The bytes of an open file. */
int mxb__sync_file(int file);

/** The name `path` that was made or renamed, in its folder; of a link it is the link's own. A folder that may not be
 *  read, or whose file system has no such thing, is left to the system. */
int mxb__sync_folder_of(const char *path);

#endif
