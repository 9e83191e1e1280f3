import { ArrowDownUp } from '../../ui/icons.ts';
import { useId, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import type { CanvasEdge } from '../../api/canvas.ts';
import { Button } from '../../ui/button.tsx';
import { Chooser } from '../../ui/chooser.tsx';
import { Dialog, DialogFoot } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import styles from './canvas.module.css';
import type { Item } from './model/model.ts';
import type { Ends } from './use-operations.ts';

/** Common labels; the service derives the order of work from them, and accepts any other label. */
const labels = [
  'blocks',
  'depends_on',
  'relates_to',
  'references',
  'duplicates',
  'supersedes',
  'clarifies',
  'supports',
];

export interface EdgeDialogProps {
  readonly items: readonly Item[];
  /** The edge to change; without one a new one is created. */
  readonly edge?: CanvasEdge | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly onClose: () => void;
  readonly onSave: (ends: Ends, label: string | null) => void;
  readonly onDelete?: () => void;
}

/** Edits an edge by its ends and label, without the mouse. */
export function EdgeDialog({ items, edge, onClose, onSave, onDelete, ...given }: EdgeDialogProps): ReactElement {
  const [from, setFrom] = useState(edge?.from_id ?? given.from);
  const [to, setTo] = useState(edge?.to_id ?? given.to);
  const [label, setLabel] = useState(edge?.label ?? '');
  const [choosing, setChoosing] = useState<'from' | 'to' | undefined>(
    from === undefined ? 'from' : to === undefined ? 'to' : undefined,
  );
  const list = useId();
  const byId = useMemo(() => new Map(items.map((item) => [item.id, item])), [items]);
  const [first, then] = [byId.get(from ?? ''), byId.get(to ?? '')];
  const others = useMemo(
    () => items.filter(({ id }) => id !== (choosing === 'from' ? to : from)),
    [items, choosing, from, to],
  );
  const ready = first !== undefined && then !== undefined && first.id !== then.id;
  const pick = (id: string): void => {
    if (choosing === 'from') setFrom(id);
    else setTo(id);
    const other = choosing === 'from' ? to : from;
    setChoosing(other === undefined ? (choosing === 'from' ? 'to' : 'from') : undefined);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={edge === undefined ? 'Connect' : 'Change the edge'}
      about="Without a label the first comes before the second. With depends_on it is the other way round; relates_to, references and their like say nothing about the order."
    >
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          if (!ready) return;
          onSave({ from: first, to: then }, label.trim() === '' ? null : label.trim());
          onClose();
        }}
      >
        <End name="From" item={first} isChosen={choosing === 'from'} onChange={() => setChoosing('from')} />
        {choosing === 'from' ? <Chooser key="from" name="From" items={others} onPick={pick} /> : null}
        <End name="To" item={then} isChosen={choosing === 'to'} onChange={() => setChoosing('to')} />
        {choosing === 'to' ? <Chooser key="to" name="To" items={others} onPick={pick} /> : null}
        {choosing === undefined ? (
          <>
            <TextField
              label="Label"
              value={label}
              onChange={setLabel}
              list={list}
              maxLength={500}
              placeholder="None: it comes before"
              autoFocus
              autoComplete="off"
            />
            <datalist id={list}>
              {labels.map((each) => (
                <option key={each} value={each} />
              ))}
            </datalist>
            <DialogFoot>
              {onDelete === undefined ? null : (
                <Button
                  onClick={() => {
                    onDelete();
                    onClose();
                  }}
                >
                  Delete the edge
                </Button>
              )}
              <Button
                onClick={() => {
                  setFrom(to);
                  setTo(from);
                }}
              >
                <ArrowDownUp size={14} aria-hidden /> Turn round
              </Button>
              <Button type="submit" look="primary" disabled={!ready}>
                {edge === undefined ? 'Connect' : 'Save'}
              </Button>
            </DialogFoot>
          </>
        ) : null}
      </form>
    </Dialog>
  );
}

function End({
  name,
  item,
  isChosen,
  onChange,
}: {
  readonly name: string;
  readonly item: Item | undefined;
  readonly isChosen: boolean;
  readonly onChange: () => void;
}): ReactElement {
  return (
    <div className={styles['end']}>
      <span>{name}</span>
      <strong>{item?.label ?? (isChosen ? 'Choose below' : 'Nothing yet')}</strong>
      {isChosen ? null : (
        <Button small onClick={onChange}>
          Change
          <span className="visually-hidden"> where it {name === 'From' ? 'begins' : 'ends'}</span>
        </Button>
      )}
    </div>
  );
}
