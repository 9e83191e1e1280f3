import type { Transform } from 'node:stream';
import { ZstdCompress, ZstdDecompress } from 'node:zlib';

/** Instead of a thread of the pool, whose turns come from no seed, a snapshot's text passes through as it is. */
const passing: Pick<Transform, '_transform' | '_flush'> & { flush(): void } = {
  _transform: (chunk, _encoding, passed) => passed(null, chunk),
  _flush: (flushed) => flushed(),
  flush: () => undefined,
};

const prototypes = [ZstdCompress, ZstdDecompress].map(({ prototype }) => prototype as object);

/** While a simulation runs, snapshots are not compressed: everything happens in its event loop. */
export const inlineCompression = {
  begin(): void {
    for (const prototype of prototypes) Object.assign(prototype, passing);
  },
  /** Restores the inherited methods of the streams. */
  end(): void {
    for (const prototype of prototypes)
      for (const name of Object.keys(passing)) Reflect.deleteProperty(prototype, name);
  },
};
