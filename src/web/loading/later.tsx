import { useEffect, useSyncExternalStore } from 'react';
import type { ComponentType, ReactElement, ReactNode } from 'react';
import { Skeleton } from '../ui/states.tsx';
import { loadCode, useCodeState } from './code.ts';
import styles from './loading.module.css';

/** A component whose code is loaded when it is first shown. */
export type Later<P> = ComponentType<P> & { readonly preload: () => Promise<unknown> };

const all: (() => Promise<unknown>)[] = [];

/**
 * Makes a component whose code is loaded when it is first shown, and retried until it is there. Unlike with `lazy`,
 * code that is there is drawn immediately: a Suspense boundary that was shown holds its content back for a third of a
 * second, while keys go elsewhere.
 */
export function later<P extends object>(
  load: () => Promise<ComponentType<P>>,
  placeholder: (props: P) => ReactNode = () => <Skeleton />,
): Later<P> {
  const code = new LaterCode(load);
  function Shown(props: P): ReactElement {
    const loaded = useSyncExternalStore(code.subscribe, code.now);
    useEffect(() => void code.preload(), []);
    if (loaded === undefined)
      return (
        <>
          <Waiting />
          {placeholder(props)}
        </>
      );
    if ('error' in loaded) throw loaded.error;
    const { Component } = loaded;
    return <Component {...props} />;
  }
  all.push(code.preload);
  return Object.assign(Shown, { preload: code.preload });
}

/** Says why a part is not there yet. */
function Waiting(): ReactElement | null {
  const state = useCodeState();
  if (state === 'fine') return null;
  return (
    <p className={styles['waiting']}>
      {state === 'away'
        ? 'The service does not respond. This part is shown as soon as it does.'
        : 'This part does not load. It is retried; nothing you wrote is lost.'}
    </p>
  );
}

type Outcome<P> = { readonly Component: ComponentType<P> } | { readonly error: unknown };

class LaterCode<P> {
  readonly #load: () => Promise<ComponentType<P>>;
  readonly #listeners = new Set<() => void>();
  #outcome: Outcome<P> | undefined;
  #loading: Promise<void> | undefined;

  constructor(load: () => Promise<ComponentType<P>>) {
    this.#load = load;
  }

  readonly now = (): Outcome<P> | undefined => this.#outcome;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly preload = (): Promise<void> => (this.#loading ??= this.#run());

  async #run(): Promise<void> {
    try {
      this.#outcome = { Component: await loadCode(this.#load) };
    } catch (error) {
      this.#outcome = { error };
    }
    for (const listener of this.#listeners) listener();
  }
}

/** The delay before the rest is loaded, in milliseconds: the view and its data come first. */
const preloadAfterMs = 2500;

/** Loads everything that is not loaded yet, one piece after another while the browser is idle, so that nothing is missing later. */
export function usePreloading(): void {
  useEffect(() => {
    const { connection } = navigator as { connection?: { readonly saveData?: boolean } };
    if (connection?.saveData === true) return;
    let ended = false;
    const timer = setTimeout(() => void preloadAll(() => ended), preloadAfterMs);
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  }, []);
}

async function preloadAll(isEnded: () => boolean): Promise<void> {
  for (const preload of all) {
    await idle();
    if (isEnded()) return;
    await preload();
  }
}

function idle(): Promise<unknown> {
  return new Promise((resolve) =>
    // Safari has no such callback.
    'requestIdleCallback' in window ? requestIdleCallback(resolve) : setTimeout(resolve, 50),
  );
}
