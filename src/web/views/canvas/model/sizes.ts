/** The default size of nodes. */
export const nodeSizes = {
  task: { width: 224, height: 66 },
  document: { width: 200, height: 46 },
} as const;

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
