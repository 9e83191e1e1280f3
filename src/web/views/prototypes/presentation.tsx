import { ChevronLeft, ChevronRight, X } from '../../ui/icons.ts';
import * as Dialog from '@radix-ui/react-dialog';
import { useEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import type { PrototypeDetail, ScreenRow } from '../../api/prototypes.ts';
import { IconButton } from '../../ui/button.tsx';
import { SandboxFrame } from '../../ui/sandbox-frame.tsx';
import styles from './prototypes.module.css';

export interface PresentationProps {
  readonly prototype: PrototypeDetail;
  readonly screens: readonly ScreenRow[];
  readonly shownId: string;
  /** Called with undefined to end it. */
  readonly onShow: (screenId: string | undefined) => void;
}

/** Screens in the whole window, navigated by their links and the arrow keys, until Escape. */
export function Presentation({ prototype, screens, shownId, onShow }: PresentationProps): ReactElement {
  const found = screens.findIndex(({ id }) => id === shownId);
  const at = Math.max(0, found);
  const screen = screens[at]!;
  const stage = useRef<HTMLDivElement>(null);
  const end = (): void => onShow(undefined);
  const step = (by: number): void => onShow(screens[Math.min(screens.length - 1, Math.max(0, at + by))]!.id);
  const press = (key: string): boolean => {
    if (key === 'Escape') end();
    else if (key === 'ArrowRight' || key === 'PageDown') step(1);
    else if (key === 'ArrowLeft' || key === 'PageUp') step(-1);
    else if (key === 'Home') onShow(screens[0]!.id);
    else if (key === 'End') onShow(screens.at(-1)!.id);
    else return false;
    return true;
  };
  useFullScreen(stage);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && end()}>
      <Dialog.Portal>
        <Dialog.Content
          ref={stage}
          className={styles['stage']}
          aria-describedby={undefined}
          // The first element is the frame, so that keys in it go to the screen.
          onOpenAutoFocus={(event) => {
            event.preventDefault();
            stage.current?.focus();
          }}
          onKeyDown={(event) => {
            if (press(event.key)) event.preventDefault();
          }}
        >
          <Dialog.Title className="visually-hidden">
            {prototype.name}: {screen.title}
          </Dialog.Title>
          <div className={styles['canvas']}>
            <SandboxFrame
              artifactId={screen.id}
              title={screen.title}
              version={screen.updated_at}
              width={prototype.viewport.width}
              height={prototype.viewport.height}
              contain
              onKey={press}
              // Only to a screen of this prototype: messages of screens are untrusted.
              onGo={(id) => screens.some((one) => one.id === id) && onShow(id)}
            />
          </div>
          <div className={styles['controls']}>
            <IconButton
              label="The screen before"
              icon={<ChevronLeft size={18} />}
              keys="←"
              disabled={at === 0}
              onClick={() => step(-1)}
            />
            <span aria-live="polite">
              {screen.title} · {at + 1} of {screens.length}
            </span>
            <IconButton
              label="The next screen"
              icon={<ChevronRight size={18} />}
              keys="→"
              disabled={at === screens.length - 1}
              onClick={() => step(1)}
            />
            <IconButton label="End the presentation" icon={<X size={18} />} keys="Esc" onClick={end} />
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Requests full screen; without permission, the whole window is used. */
function useFullScreen(stage: React.RefObject<HTMLDivElement | null>): void {
  useEffect(() => {
    void stage.current?.requestFullscreen?.().catch(() => undefined);
    return () => {
      if (document.fullscreenElement !== null) void document.exitFullscreen().catch(() => undefined);
    };
  }, [stage]);
}
