package web

import "github.com/maxence-charriere/go-app/v10/pkg/app"

type gallery struct{ app.Compo }

func (g *gallery) Render() app.UI { return app.Div() }
