import { useState } from 'react';
import type { ReactElement } from 'react';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import styles from './prototypes.module.css';

export interface PrototypeFields {
  readonly name: string;
  readonly viewport: { readonly width: number; readonly height: number };
}

export interface PrototypeDialogProps {
  readonly title: string;
  readonly action: string;
  readonly begin?: PrototypeFields;
  readonly onClose: () => void;
  readonly onDone: (fields: PrototypeFields) => void;
}

const sizes = [
  { value: '1280x800', label: 'Laptop, 1280 × 800' },
  { value: '1920x1080', label: 'Large screen, 1920 × 1080' },
  { value: '820x1180', label: 'Tablet, 820 × 1180' },
  { value: '390x844', label: 'Phone, 390 × 844' },
] as const;

/** Prompts for a prototype's name and the size of its screens. */
export function PrototypeDialog({ title, action, begin, onClose, onDone }: PrototypeDialogProps): ReactElement {
  const [name, setName] = useState(begin?.name ?? '');
  const [width, setWidth] = useState(String(begin?.viewport.width ?? 1280));
  const [height, setHeight] = useState(String(begin?.viewport.height ?? 800));
  const preset = sizes.find(({ value }) => value === `${width}x${height}`)?.value ?? 'own';
  const viewport = { width: Number(width), height: Number(height) };
  const isSize = [viewport.width, viewport.height].every((each) => Number.isInteger(each) && each > 0);
  return (
    <FormDialog
      title={title}
      action={action}
      disabled={name.trim() === '' || !isSize}
      onSubmit={() => {
        onDone({ name: name.trim(), viewport });
        onClose();
      }}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onChange={setName} maxLength={500} autoFocus />
      <SelectField
        label="Size of its screens"
        value={preset}
        onChange={(value) => {
          const [wide, high] = value.split('x');
          if (high === undefined) return;
          setWidth(wide!);
          setHeight(high);
        }}
        choices={[...sizes, { value: 'own', label: 'Another size' }]}
      />
      <div className={styles['pair']}>
        <TextField label="Width in pixels" inputMode="numeric" value={width} onChange={setWidth} />
        <TextField label="Height in pixels" inputMode="numeric" value={height} onChange={setHeight} />
      </div>
    </FormDialog>
  );
}
