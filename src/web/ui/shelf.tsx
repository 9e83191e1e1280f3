import { ArrowLeft, Search } from './icons.ts';
import { useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { Link, NavLink } from 'react-router';
import { classes } from './class-names.ts';
import styles from './shelf.module.css';

export interface ShelfItem {
  readonly id: string;
  readonly title: string;
  readonly icon: ReactNode;
  readonly detail?: ReactNode;
}

export interface ShelfProps {
  /** The name of the list: `Notes`. */
  readonly name: string;
  /** Its address; the addresses of its items are below it. */
  readonly address: string;
  readonly items: readonly ShelfItem[];
  readonly openId: string;
  /** Buttons next to the name. */
  readonly actions?: ReactNode;
  /** The open item, or a placeholder. */
  readonly children: ReactNode;
}

/** A list of records of one kind, with the open one next to it. */
export function Shelf({ name, address, items, openId, actions, children }: ShelfProps): ReactElement {
  const [filter, setFilter] = useState('');
  const query = filter.trim().toLocaleLowerCase();
  const shown = items.filter(({ title }) => title.toLocaleLowerCase().includes(query));
  return (
    <ShelfFrame
      {...{ name, openId, actions, filter }}
      isEmpty={items.length === 0}
      onFilter={setFilter}
      list={
        <nav aria-label={name} className={styles['list']}>
          {shown.length === 0 ? (
            <p className={styles['none']}>{query === '' ? 'Nothing yet.' : 'No matching titles.'}</p>
          ) : null}
          <ul>
            {shown.map(({ id, title, icon, detail }) => (
              <li key={id}>
                <NavLink
                  to={`${address}/${id}`}
                  className={({ isActive }) => classes(styles['item'], isActive && styles['here'])}
                >
                  {icon}
                  <span className={styles['title']} dir="auto">
                    {title}
                  </span>
                  {detail === undefined ? null : <span className={styles['detail']}>{detail}</span>}
                </NavLink>
              </li>
            ))}
          </ul>
        </nav>
      }
    >
      {openId === '' ? null : (
        <Link to={address} className={styles['back']}>
          <ArrowLeft size={15} aria-hidden /> {name}
        </Link>
      )}
      {children}
    </ShelfFrame>
  );
}

export interface ShelfFrameProps extends Pick<ShelfProps, 'name' | 'openId' | 'actions' | 'children'> {
  /** The list is empty: the placeholder is shown, also on a phone. */
  readonly isEmpty: boolean;
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
  /** The filtered items. */
  readonly list: ReactNode;
}

/** A list with its name and filter, and the open item next to it; on a phone one of the two. */
export function ShelfFrame({
  name,
  openId,
  actions,
  isEmpty,
  filter,
  onFilter,
  list,
  children,
}: ShelfFrameProps): ReactElement {
  const state = openId === '' ? isEmpty && styles['isEmpty'] : styles['isOpen'];
  return (
    <div className={classes(styles['shelf'], state)}>
      <aside className={styles['side']} aria-label={`All ${name.toLowerCase()}`}>
        <div className={styles['head']}>
          <h1>{name}</h1>
          {actions}
        </div>
        <label className={styles['filter']}>
          <Search size={14} aria-hidden />
          <input
            type="search"
            placeholder="Filter by title"
            aria-label={`Filter ${name.toLowerCase()} by title`}
            value={filter}
            onChange={(event) => onFilter(event.target.value)}
          />
        </label>
        {list}
      </aside>
      <div className={styles['main']}>{children}</div>
    </div>
  );
}
