import { layOut } from './lay-out.ts';
import type { LayoutInput } from './lay-out.ts';
import type { Place } from '../../../api/canvas.ts';

/** The messages of the worker: that its code is there, progress, and finally the positions. */
export type LayoutNews =
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly placed: number }
  | { readonly kind: 'done'; readonly places: readonly Place[] };

const post = (news: LayoutNews): void => self.postMessage(news);

self.addEventListener('message', ({ data }: MessageEvent<LayoutInput>) => {
  const places = layOut(data, (placed) => post({ kind: 'progress', placed }));
  post({ kind: 'done', places });
});

post({ kind: 'ready' });
