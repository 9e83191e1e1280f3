/** The names of the assets that `build.ts` writes into the executable and `main.ts` reads. */

/** The name of the directory that the files are unpacked to: the version and a hash of them. */
export const directoryAsset = 'directory';
/** The prefix of each file's path. */
export const filePrefix = 'files/';
/** Loads the program. It is CommonJS, which the main script can load synchronously, and it can import modules. */
export const entryFile = 'start.cjs';
