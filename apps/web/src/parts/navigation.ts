import { createContext, type RefObject } from 'react'

/** Whether the person has moved from the page that was opened first. */
export const NavigationContext = createContext<RefObject<boolean>>({ current: false })
