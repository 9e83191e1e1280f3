import { MapPin } from '../../ui/icons.ts';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { pinAnchor, pinOf } from '../../anchors/pins.ts';
import type { Pin } from '../../anchors/pins.ts';
import {
  placesIn,
  quotesOf,
  selectedIn,
  showPassage,
  usePassages,
  useSelectionIn,
} from '../../anchors/use-passages.ts';
import type { Stretch } from '../../anchors/text-quote.ts';
import type { Selected } from '../../anchors/use-passages.ts';
import { soFar } from '../../api/cache.ts';
import { isResolved, useComments } from '../../api/comments.ts';
import type { CommentRow } from '../../api/comments.ts';
import { useQuery } from '../../shell/query-state.ts';
import { Button } from '../../ui/button.tsx';
import { Segments } from '../../ui/segments.tsx';
import { SandboxFrame } from '../../ui/sandbox-frame.tsx';
import { Skeleton } from '../../ui/states.tsx';
import type { Place } from '../comments/comment-thread.tsx';
import { LazyCommentThread } from '../comments/lazy.tsx';
import type { Artifact } from './artifact.ts';
import styles from './artifacts.module.css';
import { later } from '../../loading/later.tsx';
import type { MarkdownViewProps } from '../../ui/markdown/markdown-view.tsx';
import { Pins } from './pins.tsx';

const MarkdownView = later<MarkdownViewProps>(
  async () => (await import('../../ui/markdown/markdown-view.tsx')).MarkdownView,
  () => <Skeleton view="panel" />,
);

/** An artifact with its annotations: pins and highlighted passages. */
export function Annotated({ artifact }: { readonly artifact: Artifact }): ReactElement {
  const { id, project_id: projectId, kind } = artifact;
  const [params, changeQuery] = useQuery();
  const [place, setPlace] = useState<Place | undefined>(undefined);
  const chosen = params.get('comment') ?? undefined;
  const choose = useCallback((comment: string) => changeQuery((now) => now.set('comment', comment)), [changeQuery]);
  const { data } = useComments({ projectId, targetType: 'artifact', targetId: id });
  const open = useMemo(() => soFar(data).filter((one) => !isResolved(one)), [data]);
  const pins = useMemo(() => open.flatMap((one) => pinOf(one) ?? []), [open]);
  const numbers = new Map(pins.map((pin, at) => [pin.id, String(at + 1)]));
  const [lost, setLost] = useState<ReadonlySet<string>>(new Set());
  return (
    <div className={styles['annotated']}>
      {kind === 'html' ? (
        <AnnotatedPage
          artifact={artifact}
          pins={pins}
          comments={open}
          chosen={chosen}
          onChoose={choose}
          onPlace={setPlace}
          onLost={setLost}
        />
      ) : (
        <MarkedText
          artifact={artifact}
          comments={open}
          chosen={chosen}
          onChoose={choose}
          onPlace={setPlace}
          onLost={setLost}
        />
      )}
      <aside aria-label="Annotations" className={styles['margin']}>
        <h2>Annotations</h2>
        <LazyCommentThread
          projectId={projectId}
          targetType="artifact"
          targetId={id}
          place={place}
          onPlaceDone={() => setPlace(undefined)}
          onShow={(comment) => choose(comment.id)}
          isFound={(comment) => !lost.has(comment.id)}
          chosen={chosen}
          markOf={(comment) => numbers.get(comment.id)}
        />
      </aside>
    </div>
  );
}

/** CSS pixels: an artifact has the same width for every reader, so that pins keep their position. */
const pageWidth = 960;

function AnnotatedPage({
  artifact: { id, title, updated_at },
  pins,
  comments,
  chosen,
  onChoose,
  onPlace,
  onLost,
}: {
  readonly artifact: Artifact;
  readonly pins: readonly (Pin & { readonly id: string })[];
  readonly comments: readonly CommentRow[];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
  readonly onPlace: (place: Place) => void;
  readonly onLost: (ids: ReadonlySet<string>) => void;
}): ReactElement {
  const [placing, setPlacing] = useState(false);
  const [size, setSize] = useState<'fit' | 'full'>('fit');
  /** The text that the page reports; undefined before its first message. */
  const [text, setText] = useState<string | undefined>(undefined);
  const [stretch, setStretch] = useState<Stretch | undefined>(undefined);
  const selected = useMemo(
    () => (text === undefined || stretch === undefined ? undefined : selectedIn(text, stretch, undefined)),
    [text, stretch],
  );
  const quotes = useMemo(() => quotesOf(comments.filter((one) => pinOf(one) === undefined)), [comments]);
  const places = useMemo(() => placesIn(text ?? '', quotes), [text, quotes]);
  const marks = useMemo(
    () => places.map(({ id: comment, from, to }) => ({ from, to, chosen: comment === chosen })),
    [places, chosen],
  );
  useEffect(() => {
    if (text === undefined) return;
    const found = new Set(places.map((one) => one.id));
    onLost(new Set(quotes.flatMap((one) => (found.has(one.id) ? [] : one.id))));
  }, [text, places, quotes, onLost]);
  return (
    <div className={styles['page']}>
      <div className={styles['bar']}>
        <Button small aria-pressed={placing} onClick={() => setPlacing(!placing)}>
          <MapPin size={14} aria-hidden /> {placing ? 'Stop placing pins' : 'Place a pin'}
        </Button>
        <AnnotateSelection selected={selected} onPlace={onPlace} />
        {placing ? <span>Click a position, or press Enter for the centre.</span> : null}
        <span className={styles['space']} />
        <Segments
          label="Size"
          value={size}
          onChange={setSize}
          choices={[
            { value: 'fit', label: 'Fit' },
            { value: 'full', label: '100 %' },
          ]}
        />
      </div>
      <SandboxFrame
        artifactId={id}
        title={title}
        version={updated_at}
        width={pageWidth}
        scaleMin={size === 'full' ? 1 : 0.5}
        className={styles['frame']}
        marks={marks}
        onText={setText}
        onSelected={setStretch}
        onPressed={(at) => {
          const place = places.find(({ from, to }) => from <= at && at < to);
          if (place !== undefined) onChoose(place.id);
        }}
      >
        <Pins
          pins={pins}
          chosen={chosen}
          onChoose={onChoose}
          onPlace={
            placing
              ? (pin) => {
                  onPlace({ passage: null, anchor: pinAnchor(pin) });
                  setPlacing(false);
                }
              : undefined
          }
        />
      </SandboxFrame>
    </div>
  );
}

function AnnotateSelection({
  selected,
  onPlace,
}: {
  readonly selected: Selected | undefined;
  readonly onPlace: (place: Place) => void;
}): ReactElement {
  return (
    <Button
      small
      disabled={selected === undefined}
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => selected !== undefined && onPlace({ passage: selected.passage, anchor: selected.anchor })}
    >
      Annotate the selection
    </Button>
  );
}

function MarkedText({
  artifact: { project_id: projectId, content = '' },
  comments,
  chosen,
  onChoose,
  onPlace,
  onLost,
}: {
  readonly artifact: Artifact;
  readonly comments: readonly CommentRow[];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
  readonly onPlace: (place: Place) => void;
  readonly onLost: (ids: ReadonlySet<string>) => void;
}): ReactElement {
  const [root, setRoot] = useState<HTMLElement | null>(null);
  const [selected, setSelected] = useState<Selected | undefined>(undefined);
  const quotes = useMemo(() => quotesOf(comments), [comments]);
  usePassages(root, quotes, chosen, onChoose, onLost);
  useSelectionIn(root, setSelected);
  const quoted = quotes.find(({ id }) => id === chosen);
  return (
    <div className={styles['page']}>
      <div className={styles['bar']}>
        <AnnotateSelection selected={selected} onPlace={onPlace} />
        {quoted === undefined || root === null ? null : (
          <Button small look="ghost" onClick={() => showPassage(root, quoted)}>
            Go to the passage
          </Button>
        )}
      </div>
      <div ref={setRoot} className={styles['text']}>
        {content.trim() === '' ? <p>It is empty.</p> : <MarkdownView text={content} projectId={projectId} />}
      </div>
    </div>
  );
}
