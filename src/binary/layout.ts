/** What `build.ts` puts into the executable and `main.ts` finds in it: names of assets. */

/** The name of the directory that the files are unpacked to: the version and a hash of them. */
export const directoryAsset = 'directory';
/** Before the path of each file. */
export const filePrefix = 'files/';
/** Loads the program. It is CommonJS, which the main script can load synchronously, and so can import modules. */
export const entryFile = 'start.cjs';
