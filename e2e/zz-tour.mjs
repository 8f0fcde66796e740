import { launch, newProfile } from "./lib/browser.mjs";
import { serveApp } from "./lib/app.mjs";
import { open } from "./lib/page.mjs";
const served = await serveApp(); const b = await launch("Chromium", await newProfile());
const page = await open(b, served.url);
await page.evaluate(async()=>{
 const post=(u,o)=>fetch("table/devstoreaccount1/"+u,{method:"POST",headers:{"content-type":"application/json",accept:"application/json"},body:JSON.stringify(o)});
 for(const t of ["Customers","Orders","AVeryLongTableNameThatSomebodyGeneratedFromANamespace20261130"]) await post("Tables",{TableName:t});
 for(let i=0;i<300;i++)await post("Customers",{PartitionKey:["EU-West","EU-North","US-East","AP-South"][i%4],RowKey:String(i).padStart(5,"0"),Name:"Name "+i,Age:i%90,Balance:i*1.25,Active:i%3===0,"Since@odata.type":"Edm.DateTime",Since:"2026-01-0"+(1+i%9)+"T10:00:00Z",...(i%5?{}:{Note:"A longer note that goes on for a while, to see how the grid cuts it off at the end of the cell "+i}),"Big@odata.type":"Edm.Int64",Big:String(9007199254740993n+BigInt(i))});
});
const tour = process.argv[2] ? JSON.parse(process.argv[2]) : [["tables","?account=devstoreaccount1"],["entities","?account=devstoreaccount1&table=Customers"],["parts","?account=devstoreaccount1&table=Customers&page=partitions"],["access","?account=devstoreaccount1&table=Customers&page=access"],["settings","?account=devstoreaccount1&table=Customers&page=settings"],["faults","?account=devstoreaccount1&page=faults"],["requests","?page=requests"],["snapshots","?account=devstoreaccount1&page=snapshots"],["storage","?page=storage"],["playground","?page=playground"],["lessons","?page=lessons"],["keydesign","?page=key-design"]];
const scheme = process.env.SCHEME ?? "light"; await page.emulateMediaFeatures?.([{name:"prefers-color-scheme",value:scheme}]);
for (const [w,h] of process.env.W ? [[+process.env.W, 850]] : [[1280,850],[390,850]]) { await page.setViewport({width:w,height:h});
 for (const [n,u] of tour) { await page.goto(served.url+u); await new Promise(r=>setTimeout(r,1600)); await page.screenshot({path:`/tmp/shots/${n}-${w}.png`}); } }
process.exit(0);
