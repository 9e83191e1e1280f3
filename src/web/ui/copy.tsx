import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { toast } from 'sonner';
import { Button, IconButton } from './button.tsx';
import styles from './copy.module.css';

const saidMs = 2000;

/** Puts a text on the clipboard. False where the browser does not allow that: then it is shown, to be copied by hand. */
export async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    toast.error('The browser does not allow copying here.', { description: text });
    return false;
  }
}

/** Puts a text on the clipboard, and says so on the button. */
export function CopyButton({
  text,
  label,
  named = false,
}: {
  readonly text: string;
  readonly label: string;
  /** With its label beside the icon. */
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

/** A text to be taken elsewhere, with a button that does so. */
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
