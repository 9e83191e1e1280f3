import { useId } from 'react';
import type { ComponentProps, ReactElement, ReactNode } from 'react';
import { classes } from './class-names.ts';
import styles from './ui.module.css';

interface Framed {
  readonly label: string;
  /** The label is only for screen readers. */
  readonly hideLabel?: boolean;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
}

function Frame({
  id,
  label,
  hideLabel = false,
  hint,
  error,
  children,
}: Framed & { readonly id: string; readonly children: ReactNode }): ReactElement {
  return (
    <div className={styles['field']}>
      <label htmlFor={id} className={hideLabel ? 'visually-hidden' : styles['label']}>
        {label}
      </label>
      {children}
      {hint === undefined ? null : (
        <span id={`${id}-hint`} className={styles['hint']}>
          {hint}
        </span>
      )}
      {error === undefined ? null : (
        <span id={`${id}-error`} className={styles['error']} role="alert">
          {error}
        </span>
      )}
    </div>
  );
}

function described(
  id: string,
  { hint, error }: Pick<Framed, 'hint' | 'error'>,
): { 'aria-describedby'?: string; 'aria-invalid'?: true } {
  const by = classes(hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`);
  return {
    ...(by === '' ? {} : { 'aria-describedby': by }),
    ...(error === undefined ? {} : { 'aria-invalid': true as const }),
  };
}

export interface TextFieldProps extends Framed, Omit<ComponentProps<'input'>, 'onChange' | 'value' | 'id'> {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function TextField({
  label,
  hideLabel,
  hint,
  error,
  onChange,
  className,
  ...rest
}: TextFieldProps): ReactElement {
  const id = useId();
  return (
    <Frame {...{ id, label, hint, error, ...(hideLabel === undefined ? {} : { hideLabel }) }}>
      <input
        id={id}
        dir="auto"
        className={classes(styles['input'], className)}
        onChange={(event) => onChange(event.target.value)}
        {...described(id, { hint, error })}
        {...rest}
      />
    </Frame>
  );
}

export interface TextAreaProps extends Framed, Omit<ComponentProps<'textarea'>, 'onChange' | 'value' | 'id'> {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Several lines. Ctrl-Enter sends the form that they are in. */
export function TextArea({ label, hideLabel, hint, error, onChange, className, ...rest }: TextAreaProps): ReactElement {
  const id = useId();
  return (
    <Frame {...{ id, label, hint, error, ...(hideLabel === undefined ? {} : { hideLabel }) }}>
      <textarea
        id={id}
        dir="auto"
        className={classes(styles['input'], className)}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={({ key, ctrlKey, metaKey, currentTarget }) => {
          if (key === 'Enter' && (ctrlKey || metaKey)) currentTarget.form?.requestSubmit();
        }}
        {...described(id, { hint, error })}
        {...rest}
      />
    </Frame>
  );
}

export interface Choice<V extends string> {
  readonly value: V;
  readonly label: string;
}

export interface SelectFieldProps<V extends string> extends Framed {
  readonly value: V;
  readonly onChange: (value: V) => void;
  readonly choices: readonly Choice<V>[];
  readonly disabled?: boolean;
}

/** The native select element, which is familiar on phones. */
export function SelectField<V extends string>({
  label,
  hideLabel,
  hint,
  error,
  value,
  onChange,
  choices,
  disabled = false,
}: SelectFieldProps<V>): ReactElement {
  const id = useId();
  return (
    <Frame {...{ id, label, hint, error, ...(hideLabel === undefined ? {} : { hideLabel }) }}>
      <select
        id={id}
        className={styles['input']}
        value={value}
        disabled={disabled}
        onChange={(event) => onChange(event.target.value as V)}
        {...described(id, { hint, error })}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
    </Frame>
  );
}
