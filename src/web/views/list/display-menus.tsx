import { ArrowDownUp, Download, Group, SlidersHorizontal } from '../../ui/icons.ts';
import type { ReactElement } from 'react';
import { addressOf } from '../../rest/client.ts';
import { Button } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { columnName } from './columns.ts';
import { groupingNames } from './groups.ts';
import styles from './list.module.css';
import { columnIds, groupings, inOrder } from './list-state.ts';
import type { ListState } from './list-state.ts';

export interface DisplayMenusProps {
  readonly projectId: string;
  readonly state: ListState;
  readonly onChange: (part: Partial<ListState>) => void;
  readonly onExport: () => void;
}

/** Grouping, order, columns and export. */
export function DisplayMenus({ projectId, state, onChange, onExport }: DisplayMenusProps): ReactElement {
  const [first] = state.sort;
  const trigger = (icon: ReactElement, text: string, chosen = false): ReactElement => (
    <Button small look={chosen ? 'plain' : 'ghost'} aria-label={text}>
      {icon}
      <span className={styles['menuText']}>{text}</span>
    </Button>
  );
  return (
    <>
      <Menu
        align="end"
        label="Group by"
        trigger={trigger(
          <Group size={14} aria-hidden />,
          state.group === 'none' ? 'Group' : `Group: ${groupingNames[state.group].toLowerCase()}`,
          state.group !== 'none',
        )}
        items={groupings.map((group) => ({
          label: groupingNames[group],
          checked: state.group === group,
          onSelect: () => onChange({ group }),
        }))}
      />
      <Menu
        align="end"
        label="Sort by"
        trigger={trigger(
          <ArrowDownUp size={14} aria-hidden />,
          first === undefined
            ? 'Sort'
            : `Sort: ${columnName(first.id).toLowerCase()}${first.id === 'hand' ? '' : first.desc ? ' ↓' : ' ↑'}`,
          first !== undefined,
        )}
        items={[
          ...columnIds.map((id) => ({
            label: columnName(id),
            checked: first?.id === id,
            stays: true,
            onSelect: () => onChange({ sort: [{ id, desc: first?.id === id && !first.desc }] }),
          })),
          {
            label: columnName('hand'),
            separated: true,
            checked: first?.id === 'hand',
            onSelect: () => onChange({ sort: [{ id: 'hand', desc: false }] }),
          },
          {
            label: 'By creation',
            disabled: first === undefined,
            onSelect: () => onChange({ sort: [] }),
          },
        ]}
      />
      <Menu
        align="end"
        label="Columns"
        trigger={trigger(<SlidersHorizontal size={14} aria-hidden />, 'Columns')}
        items={columnIds
          .filter((id) => id !== 'label')
          .map((id) => ({
            label: columnName(id),
            stays: true,
            checked: state.columns.includes(id),
            onSelect: () =>
              onChange({
                columns: state.columns.includes(id)
                  ? state.columns.filter((each) => each !== id)
                  : inOrder([...state.columns, id]),
              }),
          }))}
      />
      <Menu
        align="end"
        label="As CSV"
        trigger={trigger(<Download size={14} aria-hidden />, 'Export')}
        items={[
          { label: 'Shown tasks', onSelect: onExport },
          {
            label: 'Every task with all fields',
            onSelect: () =>
              window.location.assign(addressOf('export_project', { project_id: projectId, format: 'csv' })),
          },
        ]}
      />
    </>
  );
}
