/** In the scratch directory of a run: the microseconds of processor time that each of its processes took, one per line. */
export const cpuFile = 'cpu';
