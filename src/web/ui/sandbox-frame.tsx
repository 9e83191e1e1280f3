import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import type { Stretch } from '../anchors/text-quote.ts';
import { addressOf } from '../api/client.ts';
import { classes } from './class-names.ts';
import styles from './sandbox-frame.module.css';

export interface SandboxFrameProps {
  readonly artifactId: string;
  readonly title: string;
  /** Differs when what is rendered does: the frame is loaded again. */
  readonly version: string;
  /** CSS pixels of the window that the artifact sees. */
  readonly width: number;
  /** Without one the frame is as high as what is in it. */
  readonly height?: number;
  /** How small it may be drawn to fit; below, it is scrolled. Default: as small as it takes. */
  readonly scaleMin?: number;
  /** Fits into the height too. */
  readonly contain?: boolean;
  /** A link to another screen was followed. */
  readonly onGo?: (artifactId: string) => void;
  /** An arrow key or Escape was pressed in it. */
  readonly onKey?: (key: string) => void;
  /** All that there is to read in it, as it says. */
  readonly onText?: (text: string) => void;
  /** What of that text was selected. */
  readonly onSelected?: (stretch: Stretch) => void;
  /** Where in that text it was pressed. */
  readonly onPressed?: (at: number) => void;
  /** What of that text is to be marked. */
  readonly marks?: readonly Mark[];
  /** Not to be used, only to be looked at. */
  readonly inert?: boolean;
  /** Lies over it: pins. */
  readonly children?: ReactNode;
  readonly className?: string;
}

export interface Mark extends Stretch {
  readonly chosen: boolean;
}

const heightMin = 240;
const heightMax = 20_000;

/**
 * An artifact in its sandbox: its scripts run in an origin of their own, without network, storage or this page. It is drawn as wide as it is
 * meant to be and scaled to the place that there is. What it says about itself is no more than a hint.
 */
export function SandboxFrame({
  artifactId,
  title,
  version,
  width,
  height,
  scaleMin = 0,
  contain = false,
  onGo,
  onKey,
  onText,
  onSelected,
  onPressed,
  marks,
  inert = false,
  children,
  className,
}: SandboxFrameProps): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const [room, setRoom] = useState({ width: 0, height: 0 });
  const [said, setSaid] = useState(600);
  /** How often it has said its text: it may be a page that was loaded anew, and is told again what to mark. */
  const [loads, setLoads] = useState(0);
  const told = new Map<unknown, (news: Record<string, unknown>) => void>([
    // A page that grows with its window would grow for ever.
    [
      'size',
      ({ height: high }) => {
        if (typeof high === 'number')
          setSaid((former) => Math.round(Math.max(former, Math.min(heightMax, Math.max(heightMin, high)))));
      },
    ],
    ['go', ({ id }) => typeof id === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(id) && onGo?.(id)],
    ['key', ({ key }) => typeof key === 'string' && onKey?.(key)],
    [
      'text',
      ({ text }) => {
        if (typeof text === 'string') onText?.(text);
        setLoads((former) => former + 1);
      },
    ],
    ['selected', ({ from, to }) => typeof from === 'number' && typeof to === 'number' && onSelected?.({ from, to })],
    ['pressed', ({ at }) => typeof at === 'number' && onPressed?.(at)],
  ]);
  const hear = useEffectEvent((event: MessageEvent) => {
    if (event.source === null || event.source !== frame.current?.contentWindow) return;
    const news = Object(event.data) as Record<string, unknown>;
    told.get(news['planner'])?.(news);
  });
  useEffect(() => {
    // It has no origin that could be named: what is marked is no secret to it.
    if (marks !== undefined) frame.current?.contentWindow?.postMessage({ planner: 'mark', marks }, '*');
  }, [marks, loads]);
  useEffect(() => {
    const listen = (event: MessageEvent): void => hear(event);
    window.addEventListener('message', listen);
    return () => window.removeEventListener('message', listen);
  }, []);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setRoom({ width: entry.contentRect.width, height: entry.contentRect.height });
    });
    observer.observe(place.current!);
    return () => observer.disconnect();
  }, []);
  const high = height ?? said;
  const fits = Math.min(room.width / width, contain ? room.height / high : Infinity);
  const scale = room.width === 0 ? 0 : Math.max(scaleMin, Math.min(contain ? 4 : 1, fits));
  return (
    <div ref={place} className={classes(styles['place'], contain && styles['contain'], className)}>
      <div className={styles['paper']} style={{ width: width * scale, height: high * scale }}>
        <iframe
          key={`${artifactId} ${version}`}
          ref={frame}
          title={title}
          sandbox="allow-scripts"
          src={addressOf('render_artifact', { artifact_id: artifactId, embed: true })}
          loading="lazy"
          tabIndex={inert ? -1 : 0}
          inert={inert}
          style={{ width, height: high, transform: `scale(${scale})` }}
        />
        {children}
      </div>
    </div>
  );
}
