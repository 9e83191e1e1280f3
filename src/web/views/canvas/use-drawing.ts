import { useStoreApi } from '@xyflow/react';
import { useState } from 'react';

/** True if edges are drawn from card to card, instead of moving cards. */
export interface Drawing {
  readonly isOn: boolean;
  readonly set: (isOn: boolean) => void;
}

export function useDrawing(): Drawing {
  const [isOn, setOn] = useState(false);
  const canvas = useStoreApi();
  return {
    isOn,
    set: (next) => {
      // A first card that was clicked would be connected with a card that is clicked much later.
      canvas.setState({ connectionClickStartHandle: null });
      setOn(next);
    },
  };
}
