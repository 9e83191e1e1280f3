import type { ReactElement } from 'react';
import {
  CalendarDays,
  ChevronsUp,
  CircleDot,
  GitBranch,
  Goal,
  Lock,
  MessageSquare,
  Route,
  Tag,
  TriangleAlert,
  UserRound,
  Workflow,
} from '../ui/icons.ts';
import type { PickedField } from './fields.ts';

const size = 14;

/** The signs of the fields, where they have no value. */
export const fieldIcons: Readonly<Record<PickedField, ReactElement>> = {
  status: <CircleDot size={size} />,
  priority: <ChevronsUp size={size} />,
  goal_id: <Goal size={size} />,
  assignee: <UserRound size={size} />,
  due_date: <CalendarDays size={size} />,
  tags: <Tag size={size} />,
  prerequisites: <Lock size={size} />,
  lane: <Route size={size} />,
  kind: <Workflow size={size} />,
  severity: <TriangleAlert size={size} />,
  commit_refs: <GitBranch size={size} />,
  answer: <MessageSquare size={size} />,
};
