import { Check, Copy } from './icons.ts';
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { Button, IconButton } from './button.tsx';
import styles from './copy.module.css';
import { showError } from '../rest/show-error.ts';

const saidMs = 2000;

/** Copies a text to the clipboard. Returns false if the browser does not allow it: then the text is shown, to be copied by hand. */
export async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    showError('The browser does not allow copying here.', text);
    return false;
  }
}

/** Copies a text to the clipboard, and confirms it on the button. */
export function CopyButton({
  text,
  label,
  named = false,
}: {
  readonly text: string;
  readonly label: string;
  /** Shows the label next to the icon. */
  readonly named?: boolean;
}): ReactElement {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return undefined;
    const timer = setTimeout(() => setDone(false), saidMs);
    return () => clearTimeout(timer);
  }, [done]);
  const copy = (): void => void copied(text).then(setDone);
  const icon = done ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />;
  if (!named) return <IconButton small label={done ? 'Copied' : label} icon={icon} onClick={copy} />;
  return (
    <Button onClick={copy}>
      {icon} {done ? 'Copied' : label}
    </Button>
  );
}

/** A command of the terminal, to be copied: the page starts no program. */
export function Command({ text, label }: { readonly text: string; readonly label?: string }): ReactElement {
  return (
    <div className={styles['command']}>
      <code>{text}</code>
      <CopyButton text={text} label={label ?? `Copy ${text.split(' ', 2).join(' ')}`} />
    </div>
  );
}

/** A text with a copy button. */
export function CopyLine({ label, text }: { readonly label: string; readonly text: string }): ReactElement {
  return (
    <div className={styles['line']}>
      <label>
        <span>{label}</span>
        <input readOnly value={text} onFocus={({ target }) => target.select()} />
      </label>
      <CopyButton text={text} label={`Copy: ${label}`} />
    </div>
  );
}
