import type { ReactElement, ReactNode } from 'react';
import { UnknownLine } from './states.tsx';
import ui from './ui.module.css';

interface PageHeadProps {
  /** Absent while it is unknown. */
  readonly title: string | undefined;
  readonly actions?: ReactNode;
}

export interface PageProps extends PageHeadProps {
  /** A link above the title. */
  readonly up?: ReactNode;
  /** A sentence or two below the title. */
  readonly about?: ReactNode;
  readonly children: ReactNode;
}

/** A view that scrolls as a whole: titles are at one place in all of them. */
export function Page({ title, actions, up, about, children }: PageProps): ReactElement {
  return (
    <div className={ui['page']}>
      {up}
      <PageHead title={title} actions={actions} />
      {about === undefined ? null : <div className={ui['pageAbout']}>{about}</div>}
      {children}
    </div>
  );
}

/** The title of a view with its actions. */
export function PageHead({ title, actions }: PageHeadProps): ReactElement {
  return (
    <div className={ui['pageHead']}>
      {title === undefined ? <UnknownLine width="30%" /> : <h1 dir="auto">{title}</h1>}
      {actions}
    </div>
  );
}

/** The line of filters and commands above a view that fills the window. */
export function Toolbar({
  label = 'Filters',
  children,
}: {
  readonly label?: string;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <div className={ui['toolbar']} role="toolbar" aria-label={label}>
      {children}
    </div>
  );
}
