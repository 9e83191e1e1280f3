import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { toast } from 'sonner';
import { Button, IconButton } from './button.tsx';

const saidMs = 2000;

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
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), saidMs);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => toast.error('The browser did not allow copying.', { description: 'Select the text and copy it by hand.' }),
    );
  };
  const icon = copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />;
  if (!named) return <IconButton small label={copied ? 'Copied' : label} icon={icon} onClick={copy} />;
  return (
    <Button onClick={copy}>
      {icon} {copied ? 'Copied' : label}
    </Button>
  );
}
