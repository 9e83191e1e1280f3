import { useQueryClient } from '@tanstack/react-query';
import { Command } from 'cmdk';
import * as Dialog from '@radix-ui/react-dialog';
import { useEffect, useState } from 'react';
import type { ComponentProps, ReactElement } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { createByName, createdNames } from './command-create.ts';
import type { CreatedKind } from './command-create.ts';
import { useCommands } from './command-items.tsx';
import type { CommandGroup, CommandItem } from './command-items.tsx';
import { useFound, useFoundById, useRecent } from './command-search.tsx';
import styles from '../shell/commands.module.css';
import { Button } from '../ui/button.tsx';
import type { Subject } from '../picker/picking.ts';
import { Keys } from '../shell/keys.tsx';
import ui from '../ui/ui.module.css';

export interface CommandMenuProps {
  readonly projectId: string | undefined;
  /** The kind to create: then the menu only prompts for its name. */
  readonly create?: CreatedKind | undefined;
  /** The tasks that commands change. */
  readonly subject?: Subject | undefined;
  readonly onClose: () => void;
  readonly onShortcuts: () => void;
}

/** One input to search, navigate and run commands: shows search results and the commands that match. */
export function CommandMenu(props: CommandMenuProps): ReactElement {
  const { onClose } = props;
  const [creating, setCreating] = useState(props.create);
  const [text, setText] = useState('');
  const { projectId } = props;
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className={ui['overlay']} />
        <Dialog.Content className={styles['menu']} aria-describedby={undefined}>
          <Dialog.Title className="visually-hidden">Search or do</Dialog.Title>
          {creating !== undefined && projectId !== undefined ? (
            <NewByName projectId={projectId} kind={creating} onClose={onClose} />
          ) : (
            <Everything {...props} text={text} onText={setText} onCreate={setCreating} />
          )}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** The debounces before searching titles and texts, in milliseconds. */
const restMs = 120;
const settleMs = 300;

function useRested(text: string, forMs: number): string {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), forMs);
    return () => clearTimeout(timer);
  }, [text, forMs]);
  return rested;
}

function Everything({
  projectId,
  subject,
  onClose,
  onShortcuts,
  text,
  onText,
  onCreate,
}: CommandMenuProps & {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onCreate: (kind: CreatedKind) => void;
}): ReactElement {
  const create = useCreateByName(projectId, onClose);
  const typed = text.trim();
  const commands = useCommands({
    projectId,
    subject,
    typed,
    onShortcuts,
    prompt: (kind) => {
      onText('');
      onCreate(kind);
    },
    create: (kind) => void create(kind, typed),
  });
  const found = useFound(useRested(typed, restMs), useRested(typed, settleMs), projectId);
  const recent = useRecent(projectId);
  const [pasted, setPasted] = useState('');
  const byId = useFoundById(typed, pasted === typed, projectId);
  const isMeant = byId !== undefined && pasted === typed;
  // A pasted id opens its record.
  useEffect(() => {
    if (!isMeant) return;
    onClose();
    byId.run();
  });
  const [own, ...others] = commands;
  const groups =
    typed === ''
      ? [own!, recent, ...others].filter(({ items }) => items.length > 0)
      : [...(byId === undefined ? [] : [{ name: 'By id', items: [byId] }]), ...inOrder(found.groups, commands, typed)];
  const selection = useSelection(groups);
  const choice = useChoice(typed);
  const run = ({ run: act, creates = false, stays = false }: CommandItem): void => {
    if (creates && !choice.isMade) return;
    if (!stays) onClose();
    act();
  };
  return (
    <Command shouldFilter={false} label="Search or do" loop {...selection} {...choice.makers}>
      <Command.Input
        autoFocus
        value={text}
        onValueChange={onText}
        onPaste={({ clipboardData }) => setPasted(clipboardData.getData('text').trim())}
        placeholder={
          projectId === undefined ? 'Search every project, or go to one' : 'Search, go to a view, create, change…'
        }
      />
      <Command.List>
        <Command.Empty>{found.isSearching ? 'Searching…' : 'No results.'}</Command.Empty>
        {groups.map(({ name, items }) => (
          <Command.Group key={`${name} ${items[0]!.id}`} heading={name}>
            {items.map((item) => (
              <Command.Item key={item.id} value={item.id} onSelect={() => run(item)}>
                {item.icon}
                <span dir="auto">
                  {item.name}
                  {item.below === undefined ? null : <small className={styles['below']}>{item.below}</small>}
                </span>
                {item.beside === undefined ? null : <small>{item.beside}</small>}
                <ItemKeys {...item} isChosen={choice.isMade} />
              </Command.Item>
            ))}
          </Command.Group>
        ))}
      </Command.List>
    </Command>
  );
}

/**
 * Commands whose names begin with the typed text, search results, other commands, and at last the commands that create
 * a record of that name.
 */
function inOrder(found: readonly CommandGroup[], commands: readonly CommandGroup[], typed: string): CommandGroup[] {
  const begins = ({ name }: CommandItem): boolean => name.toLowerCase().startsWith(typed.toLowerCase());
  const among = (groups: readonly CommandGroup[], fits: (item: CommandItem) => boolean): CommandGroup[] =>
    groups.map(({ name, items }) => ({ name, items: items.filter(fits) }));
  return [
    ...among(commands, (item) => item.creates !== true && begins(item)),
    ...found,
    ...among(commands, (item) => item.creates !== true && !begins(item)),
    ...among(commands, ({ creates }) => creates === true),
  ].filter(({ items }) => items.length > 0);
}

/** The line that Enter activates: reset to the first one whenever the results change, so that a late result is not skipped. */
function useSelection(groups: readonly CommandGroup[]): {
  readonly value: string;
  readonly onValueChange: (value: string) => void;
} {
  const ids = groups.flatMap(({ items }) => items.map(({ id }) => id));
  const shown = ids.join();
  const [marked, setMarked] = useState({ value: '', among: '' });
  return {
    value: marked.among === shown ? marked.value : (ids[0] ?? ''),
    onValueChange: (value) => setMarked({ value, among: shown }),
  };
}

/**
 * Returns whether a line was chosen since the text was typed, by a key or the pointer: the first Enter creates nothing.
 */
function useChoice(typed: string): {
  readonly isMade: boolean;
  readonly makers: Pick<ComponentProps<typeof Command>, 'onKeyDown' | 'onPointerMove' | 'onPointerDown'>;
} {
  const [madeFor, setMadeFor] = useState<string | undefined>(undefined);
  const choose = (): void => setMadeFor(typed);
  return {
    isMade: madeFor === typed,
    makers: {
      onKeyDown: ({ key }) => {
        if (key.startsWith('Arrow') || key === 'Enter') choose();
      },
      onPointerMove: choose,
      onPointerDown: choose,
    },
  };
}

function ItemKeys({
  keys,
  creates = false,
  isChosen,
}: Pick<CommandItem, 'keys' | 'creates'> & { readonly isChosen: boolean }): ReactElement | null {
  const shown = creates && !isChosen ? '↵ ↵' : creates ? '↵' : keys;
  return shown === undefined ? null : <Keys keys={shown} />;
}

/** Prompts for a name, creates the record, and navigates to it. */
function NewByName({
  projectId,
  kind,
  onClose,
}: {
  readonly projectId: string;
  readonly kind: CreatedKind;
  readonly onClose: () => void;
}): ReactElement {
  const [name, setName] = useState('');
  const [busy, setBusy] = useState(false);
  const create = useCreateByName(projectId, onClose);
  const submit = async (): Promise<void> => {
    if (name.trim() === '' || busy) return;
    setBusy(true);
    await create(kind, name.trim());
    setBusy(false);
  };
  return (
    <form
      className={styles['naming']}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <label htmlFor="command-name">{createdNames[kind]}</label>
      <input
        id="command-name"
        value={name}
        onChange={({ target }) => setName(target.value)}
        placeholder={kind === 'task' ? 'What is to be done' : 'Its title'}
        maxLength={500}
        autoComplete="off"
        autoFocus
      />
      <p>
        <Button type="submit" look="primary" disabled={name.trim() === '' || busy}>
          Create
        </Button>
        <span>
          <kbd>↵</kbd> creates and opens it, <kbd>Esc</kbd> closes.
        </span>
      </p>
    </form>
  );
}

/** Creates a record by name and shows it; after an error the menu stays open with the typed text. */
function useCreateByName(
  projectId: string | undefined,
  onClose: () => void,
): (kind: CreatedKind, name: string) => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  return async (kind, name) => {
    if (projectId === undefined) return;
    const to = await createByName(client, projectId, kind, name);
    if (to === undefined) return;
    onClose();
    await navigate(to.startsWith('?') ? pathname + to : to);
  };
}
