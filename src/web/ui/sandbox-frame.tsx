import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import type { Stretch } from '../anchors/text-quote.ts';
import { addressOf } from '../rest/client.ts';
import { classes } from './class-names.ts';
import styles from './sandbox-frame.module.css';

export interface SandboxFrameProps {
  readonly artifactId: string;
  readonly title: string;
  /** Changes with the rendered content: the frame is then reloaded. */
  readonly version: string;
  /** The artifact's viewport in CSS pixels. */
  readonly width: number;
  /** Absent: the frame is as high as its content. */
  readonly height?: number;
  /** The minimal scale; below it, the frame is scrolled. Default: no minimum. */
  readonly scaleMin?: number;
  /** Scales to the height too. */
  readonly contain?: boolean;
  /** A link to another screen was followed. */
  readonly onGo?: (artifactId: string) => void;
  /** An arrow key or Escape was pressed in it. */
  readonly onKey?: (key: string) => void;
  /** The visible text that the artifact reports. */
  readonly onText?: (text: string) => void;
  /** The selected range of that text. */
  readonly onSelected?: (stretch: Stretch) => void;
  /** The clicked offset in that text. */
  readonly onPressed?: (at: number) => void;
  /** The ranges of that text to highlight. */
  readonly marks?: readonly Mark[];
  /** Disables interaction. */
  readonly inert?: boolean;
  /** An overlay: pins. */
  readonly children?: ReactNode;
  readonly className?: string;
}

export interface Mark extends Stretch {
  readonly chosen: boolean;
}

const heightMin = 240;
const heightMax = 20_000;

/**
 * An artifact in its sandbox: its scripts run in an opaque origin, without access to the network, storage or this page. It is rendered at
 * its own width and scaled to the available space. Its messages are untrusted hints.
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
  const [contentHeight, setContentHeight] = useState(600);
  /** The number of text messages: the page may have been reloaded and needs the highlights again. */
  const [loads, setLoads] = useState(0);
  const handlers = new Map<unknown, (news: Record<string, unknown>) => void>([
    // Without a limit, a page that grows with its viewport would grow indefinitely.
    [
      'size',
      ({ height: high }) => {
        if (typeof high === 'number')
          setContentHeight((former) => Math.round(Math.max(former, Math.min(heightMax, Math.max(heightMin, high)))));
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
  const onMessage = useEffectEvent((event: MessageEvent) => {
    if (event.source === null || event.source !== frame.current?.contentWindow) return;
    const news = Object(event.data) as Record<string, unknown>;
    handlers.get(news['planner'])?.(news);
  });
  useEffect(() => {
    // An opaque origin cannot be named as the target; the highlights are not secret.
    if (marks !== undefined) frame.current?.contentWindow?.postMessage({ planner: 'mark', marks }, '*');
  }, [marks, loads]);
  useEffect(() => {
    const listen = (event: MessageEvent): void => onMessage(event);
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
  const high = height ?? contentHeight;
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
