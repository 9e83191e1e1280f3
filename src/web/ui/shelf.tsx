import { ArrowLeft, Search } from 'lucide-react';
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
  /** What lies on it: `Notes`. */
  readonly name: string;
  /** Its address; what lies on it is below it. */
  readonly address: string;
  readonly items: readonly ShelfItem[];
  readonly openId: string;
  /** Buttons beside the name. */
  readonly actions?: ReactNode;
  /** What stands in the place of the one that is open. */
  readonly children: ReactNode;
}

/** Things of one kind in a list, and the one that is open beside it. */
export function Shelf({ name, address, items, openId, actions, children }: ShelfProps): ReactElement {
  const [filter, setFilter] = useState('');
  const wanted = filter.trim().toLocaleLowerCase();
  const shown = items.filter(({ title }) => title.toLocaleLowerCase().includes(wanted));
  return (
    <ShelfFrame
      {...{ name, openId, actions, filter }}
      isEmpty={items.length === 0}
      onFilter={setFilter}
      list={
        <nav aria-label={name} className={styles['list']}>
          {shown.length === 0 ? (
            <p className={styles['none']}>{wanted === '' ? 'Nothing yet.' : 'No title has that in it.'}</p>
          ) : null}
          <ul>
            {shown.map(({ id, title, icon, detail }) => (
              <li key={id}>
                <NavLink
                  to={`${address}/${id}`}
                  className={({ isActive }) => classes(styles['item'], isActive && styles['here'])}
                >
                  {icon}
                  <span className={styles['title']}>{title}</span>
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
  /** Nothing lies on it: what stands in the place of the one that is open says so, on a phone too. */
  readonly isEmpty: boolean;
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
  /** What the filter leaves. */
  readonly list: ReactNode;
}

/** A list with its name and filter, and what is open beside it; on a phone one or the other. */
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
