import './app.css'
import { createRoot } from 'react-dom/client'
import { Gallery } from './gallery/gallery.tsx'

const { search } = window.location
const theme = new URLSearchParams(search).get('theme')
if (theme) document.documentElement.dataset.theme = theme
document.body.className = 'overflow-auto bg-bg text-ink'

const root = document.getElementById('root')
if (root) createRoot(root).render(<Gallery search={search} />)
